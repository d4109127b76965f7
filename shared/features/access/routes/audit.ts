import * as z from "zod/mini";
import { iso } from "#base/kernel/time.ts";
import { auditActions, auditId } from "../rules/audit.ts";
import { endpoint } from "./endpoint.ts";

const auditEntrySchema = z
  .object({
    id: z.string(),
    action: z.enum(auditActions),
    resource: z.string(),
    actor: z.string(),
    ip: z.nullable(z.string()),
    at: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .register(z.globalRegistry, { id: "AuditEntry" });

export const listAuditEntries = endpoint.page({
  operation: "listAuditEntries",
  method: "GET",
  path: "/v1/audit",
  role: "admin",
  tag: "Audit and stats",
  summary: "List the audit entries of the last 400 days, newest first",
  scope: "audit",
  data: z.object({ audit: z.array(auditEntrySchema) }),
  handle: async ({ tenant, page, now, ports }) => {
    const { rows, next } = await ports.audit.list(tenant, { before: page.position, limit: page.limit, now });
    const audit = rows.map(({ ulid, at, action, resource, actor, ip, detail }) => ({
      id: auditId(ulid),
      action,
      resource,
      actor,
      ip,
      at: iso(at),
      detail,
    }));
    return { data: { audit }, next };
  },
});
