import * as z from "zod/mini";
import { type ReplayableStatus, replayableStatuses } from "../../../shared/domain/delivery/deliveries.ts";
import { replayWindow } from "../../../shared/flows/delivery/replay-window.ts";
import { isRefusal, type Refusal, refuse } from "../../../shared/kernel/refusals.ts";
import type { Millis } from "../../../shared/kernel/time.ts";
import { commaSeparated, instant } from "../../http/instant.ts";
import { nextCursor, openPage, pageScope } from "../../http/page.ts";
import { endpoint } from "../api-endpoint.ts";

const fields = {
  from: z.optional(instant),
  to: z.optional(instant),
  status: z.optional(commaSeparated(replayableStatuses)),
  force: z.optional(z.unknown()),
};

export const replayDeliveries = endpoint({
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/replay",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Deliver the events of a window once more, oldest first",
  description:
    "from is required, to defaults to now, status to dlq,failed; each may be given in the query or the body, and the query wins. Deliveries that came through are sent again with status naming delivered and force=true. limit caps the rows looked at in one call: call again with next_cursor until it is null.",
  query: z.object({ ...fields, force: z.optional(z.string()) }),
  body: z.optional(z.object(fields)),
  paged: true,
  refusals: ["endpoint_not_found", "replay_conflict"],
  data: z.object({
    matched: z.int(),
    enqueued: z.int(),
    skipped: z.int(),
    next_cursor: z.nullable(z.string()),
  }),
  handle: async ({ caller, tenant, path, query, body, page, request, now, ports }) => {
    const requestedWindow = parseWindow(query, body ?? {});
    if (isRefusal(requestedWindow)) return requestedWindow;
    const { from, to, statuses } = requestedWindow;
    const scope = pageScope("replay", tenant, { id: path.id, from, to, status: statuses.join(",") });
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    // Where no end is asked for it is the instant of the first call, and the cursor carries it to the others.
    const [end, after = null] = start.position?.split(" ") ?? [];
    const window = { ...requestedWindow, to: to ?? (end === undefined ? now : Number(end)), after, limit: page.limit };
    if (window.to < from) return refuse("invalid_request", "to: must not be before from");

    const result = await replayWindow(ports, tenant, path.id, window, { caller, ip: request.sourceIp }, now);
    if (isRefusal(result)) return result;
    const { matched, enqueued, skipped, next } = result;
    const position = next === null ? null : `${window.to} ${next}`;
    return { matched, enqueued, skipped, next_cursor: nextCursor(cursorKey, scope, position) };
  },
});

interface WindowFields {
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  readonly status?: ReplayableStatus[] | undefined;
  readonly force?: unknown;
}

function parseWindow(
  query: WindowFields,
  body: WindowFields,
): { from: Millis; to: Millis | null; statuses: ReplayableStatus[]; force: boolean } | Refusal<"invalid_request"> {
  const from = query.from ?? body.from;
  if (from === undefined) return refuse("invalid_request", "from: must be given, in the query or the body");
  const force = query.force ?? body.force;
  return {
    from,
    to: query.to ?? body.to ?? null,
    statuses: query.status ?? body.status ?? ["dlq", "failed"],
    force: force === "true" || force === true,
  };
}
