import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { Connections } from "../../aws/realtime.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { EventBodies } from "../../stores/delivery/event-bodies.ts";
import type { Holds } from "../../stores/holds/holds.ts";
import type { Conversations } from "../../stores/inbox/conversations.ts";
import type { Messages } from "../../stores/inbox/messages.ts";
import type { SocketFrames } from "../../stores/realtime/frame-quota.ts";
import type { Sockets } from "../../stores/realtime/sockets.ts";
import type { Uploads } from "../../stores/uploads/uploads.ts";
import type { ClosePorts } from "../realtime/ports.ts";

export interface PushPorts extends ClosePorts {
  readonly sockets: ClosePorts["sockets"] & Pick<Sockets, "list" | "repair" | "markGreeted">;
  readonly socketFrames: Pick<SocketFrames, "markGreeted">;
  readonly connections: Connections;
  readonly conversations: Pick<Conversations, "get" | "getNewest">;
  readonly messages: Pick<Messages, "getByRefs">;
  readonly eventBodies: Pick<EventBodies, "getByUlids">;
  readonly holds: Pick<Holds, "get" | "expire">;
  readonly uploads: Pick<Uploads, "get" | "lapse">;
  readonly accounts: Pick<Accounts, "list" | "markSockets">;
  /** The worker's own queue. */
  readonly realtime: Pick<Queue, "send">;
  readonly log: Log;
}
