import * as z from "zod/mini";
import type { Millis } from "../kernel/time.ts";
import { type Traced, traceField } from "../kernel/trace.ts";
import { decodeBody, encodeBody, traceId, version } from "./envelope.ts";

/** A platform's webhook whose signature is verified. The only message with content: the raw bytes, if they fit. */
export interface InboundMessage extends Traced {
  readonly receivedAt: Millis;
  /** The raw bytes, compressed; null when they are stored under `file`. */
  readonly bytes: Uint8Array | null;
  readonly file: string | null;
}

const schema = z.object({
  v: version,
  received_at: z.number(),
  /** Base64. */
  gzip: z.optional(z.string()),
  file: z.optional(z.string()),
  trace_id: traceId,
});

export function encodeInbound(message: InboundMessage): string {
  const { receivedAt, bytes, file } = message;
  const content = bytes ? { gzip: Buffer.from(bytes).toString("base64") } : { file };
  return encodeBody({ received_at: receivedAt, ...content }, message);
}

export function decodeInbound(text: string): InboundMessage | null {
  return decodeBody(
    text,
    schema,
    ({ received_at, gzip, file, trace_id }) => toMessage(received_at, gzip, file, traceField(trace_id)),
    ({ at, gz, file }) => (typeof at === "number" ? toMessage(at, gz, file, {}) : null),
  );
}

function toMessage(receivedAt: Millis, gzip: unknown, file: unknown, traced: Traced): InboundMessage | null {
  if (typeof gzip === "string") return { receivedAt, bytes: Buffer.from(gzip, "base64"), file: null, ...traced };
  return typeof file === "string" ? { receivedAt, bytes: null, file, ...traced } : null;
}
