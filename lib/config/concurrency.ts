import { type QueueName, queues } from "#base/config/names.ts";
import { CONCURRENCY_MIN, type Settings } from "./settings.ts";

/** The most concurrent invocations that the mapping of each queue starts. In the size `small`, what Lambda accepts at least. */
export function queueConcurrency({
  size,
  concurrency,
}: Pick<Settings, "size" | "concurrency">): Readonly<Record<QueueName, number>> {
  const perQueue: Readonly<Record<QueueName, number>> = {
    Inbound: concurrency.inbound,
    Events: concurrency.events,
    Deliveries: concurrency.deliveries,
    SlowDeliveries: concurrency.slowDeliveries,
    // Low, because the platforms limit calls and a name may arrive late.
    Profiles: 5,
    // Erasing is not urgent, and each invocation writes as fast as one partition of the table accepts.
    Erasures: 2,
    // SES limits the mails of a second, to 14 at first.
    Mails: 2,
    // A platform limits the calls of an app. The uploads of a tenant that makes many wait for those of the others.
    Uploads: 5,
    Accounts: 5,
    // A batch waits for its posts, and each post ends within seconds.
    Realtime: 50,
  };
  if (size === "standard") return perQueue;
  return Object.fromEntries(queues.map((name) => [name, CONCURRENCY_MIN])) as Record<QueueName, number>;
}

type ConcurrencySettings = Pick<
  Settings,
  "size" | "concurrency" | "apiReservedConcurrency" | "intakeReservedConcurrency"
>;

/** What the functions may use together of Lambda's limit of concurrent executions. */
export function concurrencyNeeds(settings: ConcurrencySettings): {
  /** The sum over the mappings of all queues. */
  readonly mappings: number;
  /** The sum of the reservations. */
  readonly reserved: number;
} {
  return {
    mappings: Object.values(queueConcurrency(settings)).reduce((sum, each) => sum + each, 0),
    reserved: (settings.apiReservedConcurrency ?? 0) + (settings.intakeReservedConcurrency ?? 0),
  };
}
