import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { QueueName } from "../../config/names.ts";
import type { Update } from "../../domain/inbox/updates.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Tenants } from "../../stores/access/tenants.ts";
import type { Quarantine } from "../../stores/dead-letters/quarantine.ts";
import type { Deliveries } from "../../stores/delivery/deliveries.ts";
import type { DueAttempts } from "../../stores/delivery/due-attempts.ts";
import type { Erasures } from "../../stores/erasure/erasures.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import type { ReplayPorts } from "../delivery/ports.ts";
import type { CountingPorts } from "../stats/ports.ts";

export interface DeadLetterPorts extends CountingPorts {
  /** The source queue of a dead-letter queue; null when the name is no dead-letter queue. */
  readonly findSourceQueue: (deadLetterQueue: string) => QueueName | null;
  readonly tenants: Pick<Tenants, "isDeleted">;
  readonly quarantine: Pick<Quarantine, "save">;
  readonly deliveries: Pick<Deliveries, "giveUp">;
  readonly due: Pick<DueAttempts, "putTask" | "putErasure" | "putAccountTask">;
}

export interface PurgeLettersPorts {
  readonly quarantine: Pick<Quarantine, "removeBefore">;
  readonly log: Log;
}

/** Inspects and redrives dead letters. */
export interface RedrivePorts extends Omit<ReplayPorts, "retries" | "audit"> {
  readonly endpoints: Pick<Endpoints, "get" | "list">;
  readonly quarantine: Quarantine;
  readonly erasures: Pick<Erasures, "get">;
  readonly parseUpdates: (raw: Uint8Array, receivedAt: Millis) => Update[];
  /** The queue to redrive to. Throws when its URL is unknown. */
  readonly queueFor: (queue: QueueName) => Queue;
}
