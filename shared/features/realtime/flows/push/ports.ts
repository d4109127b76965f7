import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Connections } from "#base/aws/realtime.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { EventBodies } from "#features/delivery/store/event-bodies.ts";
import type { Holds } from "#features/holds/store/holds.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { Messages } from "#features/inbox/store/messages.ts";
import type { Uploads } from "#features/uploads/store/uploads.ts";
import type { ClosePorts } from "../../ports.ts";
import type { SocketFrames } from "../../store/frame-quota.ts";
import type { Sockets } from "../../store/sockets.ts";

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
