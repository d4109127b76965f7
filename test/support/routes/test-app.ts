import type { TenantId } from "#base/kernel/tenant.ts";
import type { KeyCaller } from "#features/access/rules/callers.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import { type Credentials, noCredentials } from "#http/credentials/credentials.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { apiRoutes } from "../../../functions/api/routes.ts";
import type { FetchApp } from "../conformance/fetch-app.ts";
import { createApp } from "../conformance/observed-app.ts";
import type { TestEnv } from "../flows/test-env.ts";

/** The API with these ports. It compares each response with its schema. Default: the credentials of the `Api` function. */
export function testApp(
  testEnv: TestEnv,
  ports: ApiPorts,
  credentials: Credentials = callerCredentials(ports),
): FetchApp {
  return createApp({
    endpoints: apiRoutes,
    ports,
    cors: { origin: ports.consoleOrigin },
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
    checkData: true,
    credentials,
  });
}

/** Every request is this key's, without a limit. */
export function keyOf(caller: KeyCaller): Credentials {
  return { ...noCredentials, keys: { hasForm: () => true, authenticate: async () => caller } };
}

/** Every request has a live key of the tenant, without a limit. */
export function liveKeyOf(tenant: TenantId): Credentials {
  return keyOf({ kind: "tenant_key", keyId: "k", tenant, scope: "live" });
}
