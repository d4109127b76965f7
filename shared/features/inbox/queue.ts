import * as z from "zod/mini";
import type { Millis } from "#base/kernel/time.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, traceId, version } from "#base/queues/envelope.ts";

/** A platform's webhook whose signature is verified. The only message with content: the raw bytes, if they fit. */
export interface InboundMessage extends Traced {
  readonly receivedAt: Millis;
  /** The raw bytes, compressed; null when they are stored under `file`. */
  readonly bytes: Uint8Array | null;
  readonly file: string | null;
  /** Its messages are stored. Only its raw copy is missing. */
  readonly isCopyOnly?: boolean;
  /** Set when these are some updates of a webhook. Its raw copy is that of the whole webhook. */
  readonly part?: WebhookPart;
}

/** Which part of which webhook. */
export interface WebhookPart {
  /** The id of the message with the whole webhook. */
  readonly webhook: string;
  /** From 1. The parts of part 2 are 2.1, 2.2, … */
  readonly number: string;
}

const schema = z.object({
  v: version,
  received_at: z.number(),
  /** Base64. */
  gzip: z.optional(z.string()),
  file: z.optional(z.string()),
  copy_only: z.optional(z.literal(true)),
  part: z.optional(z.object({ webhook: z.string(), number: z.string() })),
  trace_id: traceId,
});

export function encodeInbound(message: InboundMessage): string {
  const { receivedAt, bytes, file, isCopyOnly, part } = message;
  const content = bytes ? { gzip: Buffer.from(bytes).toString("base64") } : { file };
  return encodeBody({ received_at: receivedAt, ...content, copy_only: isCopyOnly || undefined, part }, message);
}

export function decodeInbound(text: string): InboundMessage | null {
  return decodeBody(
    text,
    schema,
    ({ received_at, gzip, file, copy_only, part, trace_id }) =>
      toMessage(received_at, gzip, file, {
        ...traceField(trace_id),
        ...(copy_only ? { isCopyOnly: true } : {}),
        ...(part ? { part } : {}),
      }),
    ({ at, gz, file }) => (typeof at === "number" ? toMessage(at, gz, file, {}) : null),
  );
}

type OtherFields = Omit<InboundMessage, "receivedAt" | "bytes" | "file">;

function toMessage(receivedAt: Millis, gzip: unknown, file: unknown, others: OtherFields): InboundMessage | null {
  if (typeof gzip === "string") return { receivedAt, bytes: Buffer.from(gzip, "base64"), file: null, ...others };
  return typeof file === "string" ? { receivedAt, bytes: null, file, ...others } : null;
}
