import * as z from "zod/mini";
import { invalidField } from "#base/kernel/refusals.ts";
import { iso } from "#base/kernel/time.ts";
import { commaSeparated, instant } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { auditActions, auditId } from "../rules/audit.ts";
import { endpoint } from "./endpoint.ts";

const auditEntrySchema = once(() =>
  z
    .object({
      id: z.string(),
      action: z.enum(auditActions),
      resource: z.string(),
      actor: z.string(),
      ip: z.nullable(z.string()),
      at: z.iso.datetime(),
      detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    })
    .register(z.globalRegistry, { id: "AuditEntry" }),
);

/** Longer than any. */
const ACTOR_CHARS_MAX = 200;

export const listAuditEntries = endpoint.page({
  operation: "listAuditEntries",
  method: "GET",
  path: "/v1/audit",
  role: "admin",
  tag: "Audit and stats",
  summary: "List audit entries",
  query: () =>
    z.object({
      action: z.optional(commaSeparated(auditActions)),
      actor: z.optional(
        z
          .string()
          .check(
            z.minLength(1),
            z.maxLength(ACTOR_CHARS_MAX),
            z.describe("Exactly this actor, such as `console:<user_id>` or `system`. An unknown one matches nothing."),
          ),
      ),
      from: z.optional(instant),
      to: z.optional(instant),
    }),
  scope: "audit",
  filters: ({ query: { action, actor, from, to } }) => ({ action: action?.join(","), actor, from, to }),
  data: () => z.object({ audit: z.array(auditEntrySchema()) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const { action: actions = null, actor = null, from = null, to = null } = query;
    if (from !== null && to !== null && to < from) return invalidField("to", "must not be before from");
    const filter = { actions, actor, from, to };
    const { rows, next } = await ports.audit.list(tenant, { before: page.position, limit: page.limit, now, filter });
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
