import type { DeadLetterQueue } from "#base/aws/dead-letter-queues.ts";
import type { Depths } from "#base/aws/depths.ts";
import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { QueueName } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ReplayPorts } from "#features/delivery/ports.ts";
import type { Deliveries } from "#features/delivery/store/deliveries.ts";
import type { DueAttempts } from "#features/delivery/store/due-attempts.ts";
import type { Erasures } from "#features/erasure/store/erasures.ts";
import type { Update } from "#features/inbox/rules/updates.ts";
import type { Restores } from "#features/recovery/store/restores.ts";
import type { CountingPorts } from "#features/stats/ports.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { Quarantine } from "./store/quarantine.ts";

export interface DeadLetterPorts extends CountingPorts {
  readonly tenants: Pick<Tenants, "isDeleted">;
  readonly quarantine: Pick<Quarantine, "save">;
  readonly deliveries: Pick<Deliveries, "abandon">;
  readonly due: Pick<DueAttempts, "putTask" | "putErasure" | "putAccountTask">;
}

export interface PurgeLettersPorts {
  readonly quarantine: Pick<Quarantine, "removeBefore">;
  readonly log: Log;
}

export interface EmptyQueuesPorts extends DeadLetterPorts {
  readonly deadLetterQueues: readonly DeadLetterQueue<QueueName | "all">[];
  /** The queue of a dead letter, by the name of its dead-letter queue and of the queue it was moved from; null if unknown. */
  readonly findSourceQueue: (deadLetterQueue: QueueName | "all", movedFrom: string | null) => QueueName | null;
}

export interface WaitingQueuesPorts {
  readonly backgroundQueues: Depths;
  readonly log: Log;
}

/** Inspects and redrives dead letters. */
export interface RedrivePorts extends Omit<ReplayPorts, "retries" | "audit"> {
  readonly endpoints: Pick<Endpoints, "get" | "list">;
  readonly quarantine: Quarantine;
  readonly erasures: Pick<Erasures, "get">;
  readonly restores: Pick<Restores, "read">;
  readonly parseUpdates: (raw: Uint8Array, receivedAt: Millis) => Update[];
  /** The queue to redrive to. Throws when its URL is unknown. */
  readonly queueFor: (queue: QueueName) => Queue;
}
