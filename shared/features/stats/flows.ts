import { STATS_WINDOW } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import type { StatsPorts } from "./ports.ts";
import type { AnswerCounts, EndCounts } from "./rules.ts";
import type { TimeCounts } from "./store.ts";

interface EndpointCounts extends EndCounts {
  readonly endpointId: string;
}

/** What was counted in an hour. */
export interface HourStats {
  readonly startsAt: Millis;
  readonly received: number;
  readonly sent: number;
  readonly answers: AnswerCounts;
  readonly endpoints: readonly EndpointCounts[];
}

export interface Stats {
  readonly messages: number;
  readonly dlq: number;
  readonly windowHours: number;
  /** Every endpoint that is not deleted, oldest first, including those without counts. */
  readonly endpoints: readonly EndpointCounts[];
  /** Each hour, the earliest first, with the same endpoints. */
  readonly hours: readonly HourStats[];
}

/** Counts of the current hour and the 24 hours before it. */
export async function getStats(ports: StatsPorts, tenant: TenantId, now: Millis): Promise<Stats> {
  const [counts, allEndpoints] = await allDone([ports.counters.window(tenant, now), ports.endpoints.list(tenant)]);
  const endpointIds = allEndpoints.filter(({ status }) => status !== "deleted").map(({ id }) => id);
  const endpointCounts = ({ forEndpoint }: Pick<TimeCounts, "forEndpoint">) =>
    endpointIds.map((id) => ({ endpointId: id, ...forEndpoint(id) }));
  const endpoints = endpointCounts(counts);
  return {
    messages: counts.messages,
    dlq: endpoints.reduce((sum, { dlq }) => sum + dlq, 0),
    windowHours: STATS_WINDOW / HOUR,
    endpoints,
    hours: counts.hours.map((hour) => {
      const { startsAt, received, sent, answers } = hour;
      return { startsAt, received, sent, answers, endpoints: endpointCounts(hour) };
    }),
  };
}
