import { compress, decompress } from "../../kernel/compression.ts";
import { newUlid } from "../../kernel/ids.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import { encodeInbound, type InboundMessage } from "../../queues/inbound.ts";
import type { IngestPorts, IntakePorts } from "./ports.ts";

/** Compressed bytes up to this size go on the queue, whose limit is 1 MiB; a larger webhook is stored as a file. */
const INLINE_BYTES_MAX = 200_000;

/**
 * Queues a verified webhook. The platform may get its 200 only after this resolves. A webhook that is queued twice is
 * ingested once.
 */
export async function receiveWebhook(ports: IntakePorts, raw: Uint8Array, now: Millis): Promise<void> {
  const bytes = compress(raw);
  if (bytes.length <= INLINE_BYTES_MAX) {
    await ports.inbound.send({ body: encodeInbound({ receivedAt: now, bytes, file: null }) });
    return;
  }
  const file = `inbound/${iso(now).slice(0, 10)}/${newUlid(now)}.json.gz`;
  await ports.files.put(file, bytes);
  await ports.inbound.send({ body: encodeInbound({ receivedAt: now, bytes: null, file }) });
}

/** Loads and decompresses a queued webhook. @returns null when its file no longer exists */
export async function loadInbound(ports: IngestPorts, inbound: InboundMessage): Promise<Uint8Array | null> {
  const bytes = inbound.bytes ?? (inbound.file ? await ports.files.get(inbound.file) : null);
  return bytes ? decompress(bytes) : null;
}

/** Stores the raw copies of a batch as one file, which expires after 7 days. A retried record may be stored twice. */
export async function storeRawCopies(
  ports: IngestPorts,
  batchId: string,
  copies: readonly { receivedAt: Millis; raw: Uint8Array }[],
  now: Millis,
): Promise<void> {
  if (copies.length === 0) return;
  const lines = copies.map(({ receivedAt, raw }) =>
    JSON.stringify({ received_at: iso(receivedAt), body: Buffer.from(raw).toString("utf8") }),
  );
  const at = iso(now);
  const key = `raw/${at.slice(0, 10)}/${at.slice(11, 13)}/${batchId}.ndjson.gz`;
  await ports.files.put(key, compress(`${lines.join("\n")}\n`));
}
