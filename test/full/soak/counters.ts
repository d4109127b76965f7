import type { StoredItem } from "../../e2e/support/dump-table.ts";
import { type Evidence, groupBy } from "./evidence.ts";

/** Counted messages, and delivered events by endpoint. */
export interface Counts {
  readonly messages: number;
  readonly delivered: Readonly<Record<string, number>>;
}

/** What the counters of all hours say. */
export function countersIn(items: readonly StoredItem[], endpointIds: readonly string[]): Counts {
  const hours = items.filter(({ PK }) => PK === "S#demo");
  const sum = (name: string) => hours.reduce((all, hour) => all + Number(hour[name] ?? 0), 0);
  return {
    messages: sum("m"),
    delivered: Object.fromEntries(endpointIds.map((id) => [id, sum(`d${id.slice(-5)}`)])),
  };
}

/** What was stored and delivered at most. */
export function truth({ ledger, endpointIds }: Pick<Evidence, "ledger" | "endpointIds">): Counts {
  const accepted = groupBy(
    ledger.posts.filter((post) => post.accepted),
    ({ endpointId }) => endpointId,
  );
  return {
    messages: ledger.acknowledged.size,
    delivered: Object.fromEntries(
      endpointIds.map((id) => [id, new Set(accepted.get(id)?.map(({ eventId }) => eventId)).size]),
    ),
  };
}

/** No counter is above the truth. It may be below by what died with its worker: docs/guides/stats.md */
export function checkCounters(evidence: Evidence): string[] {
  const counted = countersIn(evidence.items, evidence.endpointIds);
  const real = truth(evidence);
  return [
    ...(counted.messages > real.messages ? [`${counted.messages} of ${real.messages} messages are counted`] : []),
    ...evidence.endpointIds.flatMap((id) => {
      const [count = 0, most = 0] = [counted.delivered[id], real.delivered[id]];
      return count > most ? [`${count} of ${most} deliveries to ${id} are counted`] : [];
    }),
  ];
}
