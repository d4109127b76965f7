import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { TenantStates } from "../../stores/access/tenant-states.ts";
import type { Erasures } from "../../stores/erasure/erasures.ts";
import type { Traces } from "../../stores/erasure/traces.ts";
import type { MessageChanges } from "../../stores/inbox/message-changes.ts";
import type { Messages } from "../../stores/inbox/messages.ts";
import type { Sockets } from "../../stores/realtime/sockets.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import type { RemoveUploadsPorts } from "../uploads/ports.ts";

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

/** For writes that run beside an erasure: a message, a change or a send. */
export interface LateWritePorts {
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "saveMark" | "isRemoved">;
  readonly messages: Pick<Messages, "remove" | "removeParticipantNames">;
  readonly messageChanges: Pick<MessageChanges, "getSentAt">;
}
