import { largeWebhookKey, purgedBefore, rawCopiesFolder } from "../../domain/inbox/raw-webhooks.ts";
import { INLINE_WEBHOOK_BYTES_MAX } from "../../domain/limits.ts";
import { compress, decompress } from "../../kernel/compression.ts";
import { newUlid } from "../../kernel/ids.ts";
import { allDone } from "../../kernel/parallel.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import { encodeInbound, type InboundMessage } from "../../queues/inbound.ts";
import type { IngestPorts, IntakePorts } from "./ports.ts";

/**
 * Queues a verified webhook. The platform may get its 200 only after this resolves. A webhook that is queued twice is
 * ingested once.
 */
export async function receiveWebhook(
  ports: Pick<IntakePorts, "inbound" | "files">,
  raw: Uint8Array,
  now: Millis,
): Promise<void> {
  const bytes = compress(raw);
  if (bytes.length <= INLINE_WEBHOOK_BYTES_MAX) {
    await ports.inbound.send({ body: encodeInbound({ receivedAt: now, bytes, file: null }) });
    return;
  }
  const file = largeWebhookKey(now, newUlid(now));
  await ports.files.put(file, bytes);
  await ports.inbound.send({ body: encodeInbound({ receivedAt: now, bytes: null, file }) });
}

/** Loads and decompresses a queued webhook. @returns null when its file no longer exists */
export async function loadInbound(ports: IngestPorts, inbound: InboundMessage): Promise<Uint8Array | null> {
  const bytes = inbound.bytes ?? (inbound.file ? await ports.files.get(inbound.file) : null);
  return bytes ? decompress(bytes) : null;
}

/**
 * Stores the raw copies of a batch, in one file for each hour in which one arrived. A copy that the next purge would
 * remove is not stored.
 * @param name `rawCopiesName`: a retried record is stored again, in a file of its own unless all others are retried too
 */
export async function storeRawCopies(
  ports: IngestPorts,
  name: string,
  copies: readonly { receivedAt: Millis; raw: Uint8Array }[],
  now: Millis,
): Promise<void> {
  const retained = copies.filter(({ receivedAt }) => receivedAt >= purgedBefore(now));
  const byHour = Map.groupBy(retained, ({ receivedAt }) => rawCopiesFolder(receivedAt));
  await allDone(
    [...byHour].map(([folder, sameHour]) => {
      const lines = sameHour.map(({ receivedAt, raw }) =>
        JSON.stringify({ received_at: iso(receivedAt), body: Buffer.from(raw).toString("utf8") }),
      );
      return ports.files.put(`${folder}${name}.ndjson.gz`, compress(`${lines.join("\n")}\n`));
    }),
  );
}
