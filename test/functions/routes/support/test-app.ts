import type { App } from "../../../../functions/http/app.ts";
import { callerCredentials } from "../../../../functions/http/caller-credentials.ts";
import { type Credentials, noCredentials } from "../../../../functions/http/credentials.ts";
import type { ApiPorts } from "../../../../functions/routes/api-endpoint.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import type { KeyCaller } from "../../../../shared/domain/access/callers.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import type { TestEnv } from "../../../shared/flows/support/test-env.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";

/** The API with these ports. It compares each response with its schema. Default: the credentials of the `Api` function. */
export function testApp(testEnv: TestEnv, ports: ApiPorts, credentials: Credentials = callerCredentials(ports)): App {
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
