import { createApp } from "../../../../functions/http/app.ts";
import type { ApiPorts } from "../../../../functions/routes/api-endpoint.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import type { TestEnv } from "../../../shared/flows/support/test-env.ts";

/** The API with these ports. Every request has a live key of the tenant. */
export function replyApp(ports: ApiPorts, { testEnv, tenant }: { testEnv: TestEnv; tenant: TenantId }) {
  return createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: async () => ({ kind: "tenant_key", keyId: "k", tenant, scope: "live" }),
    rateLimit: async () => null,
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
    checkData: true,
  });
}
