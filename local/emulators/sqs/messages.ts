import { createHash } from "node:crypto";
import type { Millis } from "../../../shared/kernel/time.ts";

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
  /** Base64, as on the wire. */
  readonly BinaryValue?: string | undefined;
}
export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/** A message as it is kept. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly traceHeader: string | null;
  readonly groupId: string | null;
  readonly sentAt: Millis;
  /** The end of its delay. */
  readonly availableAt: Millis;
  /** How often it was received from its present queue. */
  readonly receives: number;
  /** How often it was received in all: a receipt handle holds for one turn. */
  readonly turn: number;
  readonly firstReceivedAt: Millis | null;
  /** How long its last receive hid it at first; null before the first. */
  readonly hiddenUntil: Millis | null;
  /** The ARN of the queue whose dead letter it is. */
  readonly source: string | null;
}

export function markReceived(message: Message, at: Millis, hiddenUntil: Millis): Message {
  const { receives, turn, firstReceivedAt } = message;
  return { ...message, receives: receives + 1, turn: turn + 1, firstReceivedAt: firstReceivedAt ?? at, hiddenUntil };
}

/**
 * As it is after a restart: one that was in flight is visible, for its consumer died too, and as if never handed out,
 * for that is not the message's fault: a stack that is killed often would make dead letters of good messages.
 */
export function releaseInFlight(message: Message, now: Millis): Message {
  const inFlight = message.hiddenUntil !== null && message.hiddenUntil > now;
  return inFlight ? { ...message, receives: message.receives - 1, hiddenUntil: null } : message;
}

/** As it arrives in another queue: its receives start anew, its age does not. */
export function markMoved(message: Message, source: string | null): Message {
  return { ...message, receives: 0, firstReceivedAt: null, hiddenUntil: null, source };
}

/** What counts against the size limits: the body, and each attribute's name, type and value. */
export function messageSize(body: string, attributes: MessageAttributes): number {
  const sizes = Object.entries(attributes).map(
    ([name, attribute]) =>
      Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + attributeBytes(attribute).length,
  );
  return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(body));
}

export function md5OfText(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** The digest the SDK checks: names in order; each of name, type and value behind its length in four bytes. */
export function md5OfAttributes(attributes: MessageAttributes): string {
  const hash = createHash("md5");
  for (const [name, attribute] of Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(withLength(Buffer.from(name)));
    hash.update(withLength(Buffer.from(attribute.DataType)));
    hash.update(Buffer.from([isBinary(attribute) ? 2 : 1]));
    hash.update(withLength(attributeBytes(attribute)));
  }
  return hash.digest("hex");
}

export function isBinary(attribute: MessageAttribute): boolean {
  return attribute.DataType.startsWith("Binary");
}

function attributeBytes(attribute: MessageAttribute): Buffer {
  return isBinary(attribute)
    ? Buffer.from(attribute.BinaryValue ?? "", "base64")
    : Buffer.from(attribute.StringValue ?? "");
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
