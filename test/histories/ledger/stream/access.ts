import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { apiKeyItemKey, membershipKey, tenantKey } from "#features/access/store/items.ts";
import { socketAttributes as A } from "#features/realtime/store/attributes.ts";
import { socketKey } from "#features/realtime/store/items.ts";
import type { Viewer } from "../../sockets.ts";
import type { Step } from "../../steps/step.ts";
import type { Evidence, StoredChange } from "../evidence.ts";

/** How long after the end of its access a connection may be open. */
const CLOSED_WITHIN: Millis = MINUTE;
/** The same when the worker that closes it died or was repeated, or the gateway did not answer it. */
const CLOSED_LATE_WITHIN: Millis = 15 * MINUTE;

/** A connection ends within a minute of its access, and gets no later frame. */
export function judgeCutOff(evidence: Evidence): string[] {
  const { viewers, now, history } = evidence;
  const steps = history.steps.map(([step]) => step);
  const within = steps.some(delaysClosing) ? CLOSED_LATE_WITHIN : CLOSED_WITHIN;
  // A close that the gateway did not answer ten times waits for the operator.
  const mayBeBuried = steps.some((step) => step.do === "gateway" && step.mode === "down");
  return viewers.flatMap((viewer) => {
    const { connectionId, endedAt, frames } = viewer;
    const accessEndedAt = endOfAccess(evidence, viewer);
    if (connectionId === null || accessEndedAt + within >= now) return [];
    const late = frames.filter(({ at }) => at > accessEndedAt + within);
    const isOpen = !mayBeBuried && (endedAt ?? now) > accessEndedAt + within;
    return [
      ...late.map(({ at, body }) => `${connectionId} got ${body.type} ${at - accessEndedAt} ms after its access ended`),
      ...(isOpen ? [`${connectionId} was open ${within} ms after its access ended`] : []),
    ];
  });
}

function delaysClosing(step: Step): boolean {
  if (step.do === "trouble") return step.name === "push";
  if (step.do === "gateway") return step.mode !== "ok";
  return (step.do === "again" || step.do === "bury") && step.queue === "Realtime";
}

/**
 * When a connection ended, or no longer had to get anything because its access had ended. A suspension has it closed, also
 * one that ends at once: until the gateway has closed it, it gets nothing.
 */
export function endOfService(evidence: Evidence, viewer: Viewer): Millis {
  const connectedAt = viewer.frames[0]?.at ?? evidence.now;
  const suspendedAt = startOfSuspension(evidence, connectedAt, { key: tenantKey(viewer.tenant), longerThan: 0 });
  return Math.min(viewer.endedAt ?? evidence.now, endOfAccess(evidence, viewer), suspendedAt);
}

/** When the rows that gave a connection access said for the first time that it has none; Infinity while they give it. */
function endOfAccess(evidence: Evidence, { tenant, connectionId }: Viewer): Millis {
  const [added] = changesOf(evidence, socketKey(tenant, connectionId ?? ""));
  const socket = added?.after;
  if (!socket) return Infinity;
  const [kind, id = ""] = String(socket[A.actor]).split(":");
  const ends =
    kind === "key"
      ? changesOf(evidence, apiKeyItemKey(tenant, id)).filter(({ after }) => after?.st !== "active")
      : changesOf(evidence, membershipKey(tenant, id)).filter(({ before, after }) => {
          return before?.ca === socket[A.memberSince] && after?.ca !== socket[A.memberSince];
        });
  const first = ends.find(({ before }) => before !== null)?.at ?? Infinity;
  return Math.min(first, startOfSuspension(evidence, added.at, { key: tenantKey(tenant), longerThan: CLOSED_WITHIN }));
}

/** When a tenant was suspended, for some time at least, while a connection was open. */
function startOfSuspension(
  evidence: Evidence,
  since: Millis,
  { key, longerThan }: { readonly key: Key; readonly longerThan: Millis },
): Millis {
  const changes = changesOf(evidence, key);
  const starts = changes.flatMap(({ at, after }, index) => {
    const next = changes[index + 1];
    const isLong = (next?.at ?? evidence.now) >= at + longerThan;
    return after?.st !== "active" && isLong && (next?.at ?? Infinity) > since ? [at] : [];
  });
  return Math.min(...starts);
}

function changesOf({ changes }: Evidence, { PK, SK }: Key): StoredChange[] {
  return changes.filter(({ before, after }) => {
    const item = after ?? before;
    return item?.PK === PK && item.SK === SK;
  });
}
