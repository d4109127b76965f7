import type { LogLine } from "#base/aws/log.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { KeyCaller } from "#features/access/rules/callers.ts";
import { type Credentials, noCredentials } from "#http/credentials/credentials.ts";
import { apiApp } from "../../../functions/api/app.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import type { FetchApp } from "../conformance/fetch-app.ts";
import { createApp } from "../conformance/observed-app.ts";
import type { TestEnv } from "../flows/test-env.ts";

/** The API with these ports. It compares each response with its schema. Default: the credentials of the `Api` function. */
export function testApp(testEnv: TestEnv, ports: ApiPorts, credentials?: Credentials): FetchApp {
  const log = (line: LogLine) => testEnv.lines.push(line);
  return createApp({ ...apiApp(ports), ...(credentials && { credentials }), now: testEnv.now, log, checkData: true });
}

/** Every request is this key's, without a limit. */
export function keyOf(caller: KeyCaller): Credentials {
  return { ...noCredentials, keys: { hasForm: () => true, authenticate: async () => caller } };
}

/** Every request has a live key of the tenant, without a limit. */
export function liveKeyOf(tenant: TenantId): Credentials {
  return keyOf({ kind: "tenant_key", keyId: "k", tenant, scope: "live" });
}
