import { compress, decompress } from "../../kernel/compression.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import type { InboundMessage } from "../../queues/messages.ts";
import type { IngestPorts } from "./ports.ts";

/** A verified webhook's bytes, decompressed. @returns null when the file it names is gone */
export async function loadInbound(ports: IngestPorts, inbound: InboundMessage): Promise<Uint8Array | null> {
  const bytes = inbound.bytes ?? (inbound.file ? await ports.files.get(inbound.file) : null);
  return bytes ? decompress(bytes) : null;
}

/**
 * Keeps the raw copies of a batch, for 7 days, as one file. Repeated with another batch around it, a copy is kept
 * twice, which harms nobody.
 */
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
