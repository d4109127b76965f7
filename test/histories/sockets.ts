import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Session } from "./deeds.ts";

/** A frame that a client received. */
export interface StreamFrame {
  readonly at: Millis;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the ledger looks at a few fields of each type
  readonly body: any;
}

/** What a list of conversations shows of one. */
export interface ShownConversation {
  readonly id: string;
  readonly last_message_text: string;
  readonly last_inbound_at: string | null;
  readonly last_outbound_at: string | null;
}

/** What a client fetched at its first frame. */
interface InboxFetch {
  readonly askedAt: Millis;
  /** As `GET /v1/conversations` shows them. */
  readonly conversations: readonly ShownConversation[];
  readonly messageIds: readonly string[];
}

/** A connection of the realtime stream, as its client knows it. */
export interface Viewer {
  readonly tenant: TenantId;
  /** The secret of a key, or the session of a person. */
  readonly credential: string | Session;
  /** Null until its handshake is answered, and when it is refused. */
  connectionId: string | null;
  endedAt: Millis | null;
  readonly frames: StreamFrame[];
  readonly fetches: InboxFetch[];
}
