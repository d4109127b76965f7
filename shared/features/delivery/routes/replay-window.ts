import * as z from "zod/mini";
import { invalidField, isRefusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { commaSeparated, instant } from "#http/fields.ts";
import { replayWindow } from "../flows/replay-window.ts";
import { type ReplayableStatus, replayableStatuses } from "../rules/deliveries.ts";
import { endpoint } from "./endpoint.ts";

const fields = {
  from: z.optional(instant),
  to: z.optional(instant),
  status: z.optional(commaSeparated(replayableStatuses)),
  force: z.optional(z.unknown()),
};

export const replayDeliveries = endpoint.page({
  operation: "replayDeliveries",
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/replay",
  role: "admin",
  tag: "Webhooks",
  summary: "Replay the deliveries of a time window",
  query: () => z.object({ ...fields, force: z.optional(z.string()) }),
  body: () => z.optional(z.object(fields)),
  refusals: ["endpoint_not_found", "replay_conflict"],
  scope: "replay",
  filters: ({ path, query, body }) => {
    const { from, to, statuses } = mergeWindow(query, body);
    return { id: path.id, from, to, status: statuses.join(",") };
  },
  data: () => z.object({ matched: z.int(), enqueued: z.int(), skipped: z.int() }),
  handle: async ({ author, tenant, path, query, body, page, now, ports }) => {
    const { from, to, statuses, force } = mergeWindow(query, body);
    if (from === undefined) return invalidField("from", "is required in the query or the body");
    // A window without an end ends at the time of its first call. The cursor carries that time to the next calls.
    const [end, after = null] = page.position?.split(" ") ?? [];
    const windowEnd = to ?? (end === undefined ? now : Number(end));
    if (windowEnd < from) return invalidField("to", "must not be before from");

    const window = { from, to: windowEnd, statuses, force, after, limit: page.limit };
    const result = await replayWindow(ports, {
      tenant,
      endpointId: path.id,
      window,
      author,
      now,
    });
    if (isRefusal(result)) return result;
    const { matched, enqueued, skipped, next } = result;
    return { data: { matched, enqueued, skipped }, next: next === null ? null : `${windowEnd} ${next}` };
  },
});

interface WindowFields {
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  readonly status?: ReplayableStatus[] | undefined;
  readonly force?: unknown;
}

function mergeWindow(query: WindowFields, body: WindowFields = {}) {
  const force = query.force ?? body.force;
  return {
    from: query.from ?? body.from,
    to: query.to ?? body.to,
    statuses: query.status ?? body.status ?? (["dlq", "failed"] satisfies ReplayableStatus[]),
    force: force === "true" || force === true,
  };
}
