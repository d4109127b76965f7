import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { MessageChanges } from "#features/inbox/store/message-changes.ts";
import type { Messages } from "#features/inbox/store/messages.ts";
import type { Sockets } from "#features/realtime/store/sockets.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { TenantStates } from "#features/tenants/store/tenant-states.ts";
import type { RemoveUploadsPorts } from "#features/uploads/ports.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { Erasures } from "./store/erasures.ts";
import type { Traces } from "./store/traces.ts";

export interface ErasePorts extends RemoveUploadsPorts {
  readonly erasures: Erasures;
  readonly traces: Traces;
  readonly tenantStates: Pick<TenantStates, "recordErasure">;
  readonly endpoints: Pick<Endpoints, "listWithSockets">;
  readonly sockets: Pick<Sockets, "markErasure">;
  /** The queue of the push worker. */
  readonly realtime: Pick<Queue, "send">;
  /** The worker's own queue. */
  readonly erasureWork: Queue;
  readonly log: Log;
}

/** What starts an erasure, which the journal records first. */
export interface EraseRequestPorts extends ErasePorts, JournalPorts {}

/** For writes that run beside an erasure: a message, a change or a send. */
export interface LateWritePorts {
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "saveMark" | "isRemoved">;
  readonly messages: Pick<Messages, "remove" | "removeParticipantNames">;
  readonly messageChanges: Pick<MessageChanges, "getSentAt">;
}
