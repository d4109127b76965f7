import { type App, createApp } from "../../../../functions/http/app.ts";
import type { Guards } from "../../../../functions/http/serve.ts";
import type { ApiPorts } from "../../../../functions/routes/api-endpoint.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import type { Caller } from "../../../../shared/domain/access/callers.ts";
import { authenticate, enforceRateLimit } from "../../../../shared/flows/access/authenticate.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import type { TestEnv } from "../../../shared/flows/support/test-env.ts";

/** The API with these ports. It compares each response with its schema. Default: the guards of the `Api` function. */
export function testApp(testEnv: TestEnv, ports: ApiPorts, guards: Guards = keyGuards(ports)): App {
  return createApp({
    endpoints: apiRoutes,
    ports,
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
    checkData: true,
    ...guards,
  });
}

/** Reads and counts the key of each request. */
function keyGuards(ports: ApiPorts): Guards {
  return {
    authenticate: (authorization, now) => authenticate(ports, authorization, now),
    rateLimit: (caller, now) => enforceRateLimit(ports, caller, now),
  };
}

/** Every request is this caller's, without a limit. */
export function callerGuards(caller: Caller): Guards {
  return { authenticate: async () => caller, rateLimit: async () => null };
}

/** Every request has a live key of the tenant, without a limit. */
export function liveKeyGuards(tenant: TenantId): Guards {
  return callerGuards({ kind: "tenant_key", keyId: "k", tenant, scope: "live" });
}
