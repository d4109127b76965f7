import * as z from "zod/mini";
import { auditActions, auditId } from "../../../shared/domain/access/audit.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { iso } from "../../../shared/kernel/time.ts";
import { nextCursor, openPage, pageScope } from "../../http/page.ts";
import { endpoint } from "../api-endpoint.ts";

const auditEntrySchema = z.object({
  id: z.string(),
  action: z.enum(auditActions),
  resource: z.string(),
  actor: z.string(),
  ip: z.nullable(z.string()),
  at: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export const listAuditEntries = endpoint({
  method: "GET",
  path: "/v1/audit",
  auth: "key",
  tenant: "query",
  tag: "Audit and stats",
  summary: "List who did what in the last 400 days, most recent first",
  paged: true,
  data: z.object({ audit: z.array(auditEntrySchema), next_cursor: z.nullable(z.string()) }),
  handle: async ({ tenant, page, now, ports }) => {
    const scope = pageScope("audit", tenant);
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    const { rows, next } = await ports.audit.list(tenant, { before: start.position, limit: page.limit, now });
    return {
      audit: rows.map(({ ulid, at, action, resource, actor, ip, detail }) => ({
        id: auditId(ulid),
        action,
        resource,
        actor,
        ip,
        at: iso(at),
        detail,
      })),
      next_cursor: nextCursor(cursorKey, scope, next),
    };
  },
});
