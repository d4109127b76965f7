import { createHash } from "node:crypto";
import type { Millis } from "../../support/time.ts";

export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
  /** Base64, as on the wire. */
  readonly BinaryValue?: string | undefined;
}
export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/** A stored message. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly traceHeader: string | null;
  readonly groupId: string | null;
  readonly sentAt: Millis;
  /** The end of the delay. */
  readonly availableAt: Millis;
  /** Number of receives from its present queue, by which it becomes a dead letter. */
  readonly receives: number;
  /** Number of receives from the queues before. Absent in the journals of earlier versions. */
  readonly receivesBefore?: number;
  /** Number of receives in all queues. A receipt handle is valid for one turn. */
  readonly turn: number;
  readonly firstReceivedAt: Millis | null;
  /** The visibility deadline that the last receive set; null before the first receive. */
  readonly hiddenUntil: Millis | null;
  /** The visibility deadline that its consumer then chose. Absent after a receive, and in the journals of earlier versions. */
  readonly postponedUntil?: Millis;
  /** The ARN of the queue that moved the message to its dead-letter queue. */
  readonly source: string | null;
}

export function markReceived(message: Message, at: Millis, hiddenUntil: Millis): Message {
  const { receives, turn, firstReceivedAt } = message;
  return {
    ...withoutPostponement(message),
    receives: receives + 1,
    turn: turn + 1,
    firstReceivedAt: firstReceivedAt ?? at,
    hiddenUntil,
  };
}

function withoutPostponement(message: Message): Message {
  const { postponedUntil: _, ...others } = message;
  return others;
}

export function markPostponed(message: Message, postponedUntil: Millis): Message {
  return { ...message, postponedUntil };
}

/**
 * The message after a restart. A message in flight becomes visible, because its consumer died too. The receive is not
 * counted: otherwise a stack that is killed often would turn good messages into dead letters.
 */
export function releaseInFlight(message: Message, now: Millis): Message {
  const inFlight = message.hiddenUntil !== null && (message.postponedUntil ?? message.hiddenUntil) > now;
  if (!inFlight) return message;
  return { ...withoutPostponement(message), receives: message.receives - 1, hiddenUntil: null };
}

/**
 * The message after a move to another queue. Its age and its receive count go on in the dead-letter queue. SQS counts the
 * receives of a message that a move task returns to its source queue from zero.
 * @param source the ARN of the queue that it left as a dead letter; null for a move task
 */
export function markMoved(message: Message, source: string | null): Message {
  const receivesBefore = source === null ? 0 : receiveCount(message);
  const moved = { receives: 0, receivesBefore, firstReceivedAt: null, hiddenUntil: null, source };
  return { ...withoutPostponement(message), ...moved };
}

/** The receives of all queues that it was in. */
export function receiveCount({ receives, receivesBefore = 0 }: Message): number {
  return receivesBefore + receives;
}

/** The size in bytes that counts toward the limits: the body, and each attribute's name, type and value. */
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

/** The digest that the SDK verifies: sorted by name, with each name, type and value after its four-byte length. */
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
