import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import type { App } from "#http/app.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import type { ConsolePorts } from "../../../functions/console/routes.ts";
import { consoleRoutes } from "../../../functions/console/routes.ts";
import { createApp } from "../conformance/observed-app.ts";
import type { TestEnv } from "../flows/test-env.ts";
import { observePorts } from "../processes/work-left.ts";

/** The public URL of the API, and the console's origin. */
export const API = "https://parley.example";
export const CONSOLE = "https://console.example";

/** What a test need not say. */
type DefaultPorts =
  | "isSignUpOpen"
  | "tenantLimits"
  | "inviteLimits"
  | "requestQuota"
  | "consoleOrigin"
  | "baseUrl"
  | "pageFiles";
export type ConsoleAppPorts = Omit<ConsolePorts, DefaultPorts> & Partial<ConsolePorts>;

/** The console with these ports, whose sign-up is closed. It compares each response with its schema. */
export function openConsoleApp(testEnv: TestEnv, specified: ConsoleAppPorts): App {
  const ports: ConsolePorts = observePorts({
    isSignUpOpen: false,
    tenantLimits: { perOwner: 5, perDay: 2 },
    inviteLimits: { pending: 50, tenantMails: 100, personMails: 100 },
    requestQuota: requestQuotaStore(testEnv.table),
    consoleOrigin: CONSOLE,
    baseUrl: API,
    pageFiles: new Map(),
    ...specified,
  });
  return createApp({
    endpoints: consoleRoutes,
    ports,
    credentials: sessionCredentials(ports),
    cors: { origin: CONSOLE },
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
    checkData: true,
  });
}
