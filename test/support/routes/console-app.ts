import type { LogLine } from "#base/aws/log.ts";
import { consoleApp } from "../../../functions/console/app.ts";
import type { ConsolePorts } from "../../../functions/console/routes.ts";
import type { FetchApp } from "../conformance/fetch-app.ts";
import { createApp } from "../conformance/observed-app.ts";
import type { TestEnv } from "../flows/test-env.ts";
import { observePorts } from "../processes/work-left.ts";

/** The public URL of the API, and the console's origin. */
export const API = "https://parley.example";
export const CONSOLE = "https://console.example";

/** The console with these ports in the place of its own, whose sign-up is closed. It compares each response with its schema. */
export function openConsoleApp(testEnv: TestEnv, replaced: Partial<ConsolePorts>): FetchApp {
  const ports: ConsolePorts = observePorts({ ...testEnv.consolePorts(), ...replaced });
  const log = (line: LogLine) => testEnv.lines.push(line);
  return createApp({ ...consoleApp(ports), now: testEnv.now, log, checkData: true });
}
