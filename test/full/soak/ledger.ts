// What is recorded outside the stack while it is killed. The checks compare it with the stack's data at the end. All
// times are epoch milliseconds of the test's process, and do not advance with the stack's clock.

export interface PersonRecord {
  readonly id: string;
  readonly conversationId: string;
}

/** A message that a person wrote. */
export interface WrittenMessage {
  readonly mid: string;
  readonly person: string;
  readonly text: string;
  readonly writtenAt: number;
  unsent: boolean;
}

/** The text of a reply or a held message. Each is sent with one idempotency key. */
export interface SendRequest {
  readonly person: string;
  readonly text: string;
  readonly kind: "reply" | "hold";
  readonly requestedAt: number;
  /** The responses to all requests with its key, and to the check of a held message. */
  readonly responses: SendResponse[];
}

export interface SendResponse {
  readonly status: number;
  /** Of a reply that was sent. */
  readonly messageId: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  /** How often the platform was called for this text during the request; null where two requests with its key ran. */
  readonly callsDuring: number | null;
}

/** A request to send a message that reached the platform. */
export interface PlatformCall {
  readonly text: string;
  /** The id of the send, which only Messenger gets. */
  readonly sendId: string | null;
}

/** A message that the platform accepted. */
export interface LeftMessage {
  readonly mid: string;
  readonly text: string;
}

/** A delivery that reached a receiver. */
export interface ReceivedPost {
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly messageId: string | null;
  readonly body: string;
  readonly receivedAt: number;
  /** Whether the receiver's response was 2xx and was sent whole. */
  accepted: boolean;
}

export interface Erasure {
  readonly person: string;
  readonly requestedAt: number;
  /** When a response said that everything is erased. */
  readonly doneAt: number;
}

export interface Ledger {
  readonly people: Map<string, PersonRecord>;
  readonly written: WrittenMessage[];
  /** The ids of messages whose webhook was answered with 200. */
  readonly acknowledged: Set<string>;
  readonly sends: SendRequest[];
  readonly platformCalls: PlatformCall[];
  readonly left: LeftMessage[];
  readonly posts: ReceivedPost[];
  readonly erasures: Erasure[];
  readonly kills: string[];
}

export function newLedger(): Ledger {
  return {
    people: new Map(),
    written: [],
    acknowledged: new Set(),
    sends: [],
    platformCalls: [],
    left: [],
    posts: [],
    erasures: [],
    kills: [],
  };
}

/** Whether the conversation was erased at or after this time. */
export function isErased({ erasures }: Ledger, person: string, at: number): boolean {
  return erasures.some((erasure) => erasure.person === person && erasure.requestedAt >= at);
}
