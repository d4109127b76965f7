import type { QueueMessage } from "#base/aws/queues.ts";
import { compress, decompress } from "#base/kernel/compression.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { INLINE_WEBHOOK_BYTES_MAX, RAW_COPY_ROW_BYTES_MAX } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { withFirstSentAt } from "#base/queues/envelope.ts";
import type { IngestPorts, IntakePorts } from "../ports.ts";
import { encodeInbound, type InboundMessage } from "../queue.ts";
import { largeWebhookKey, purgedBefore, rawCopiesFolder } from "../rules/raw-webhooks.ts";
import type { QueuedPart } from "./ingest-webhook.ts";

/**
 * Queues a verified webhook. The platform may get its 200 only after this resolves. A webhook that is queued twice is
 * ingested once.
 */
export async function receiveWebhook(
  ports: Pick<IntakePorts, "inbound" | "files">,
  raw: Uint8Array,
  now: Millis,
): Promise<void> {
  await ports.inbound.send({ body: encodeInbound({ receivedAt: now, ...(await storeContent(ports, raw, now)) }) });
}

/** The content of a message: the compressed bytes, or the file in which it stores them. */
async function storeContent(
  ports: Pick<IntakePorts, "files">,
  raw: Uint8Array,
  receivedAt: Millis,
): Promise<Pick<InboundMessage, "bytes" | "file">> {
  const bytes = compress(raw);
  if (bytes.length <= INLINE_WEBHOOK_BYTES_MAX) return { bytes, file: null };
  const file = largeWebhookKey(receivedAt, newUlid(receivedAt));
  await ports.files.put(file, bytes);
  return { bytes: null, file };
}

/** A webhook of which parts are queued. */
interface SplitWebhook {
  /** The id of its message. */
  readonly id: string;
  readonly inbound: InboundMessage;
  readonly raw: Uint8Array;
  /** When it was first sent, if it waited for the end of an outage: its parts then wait no longer than it would. */
  readonly waitedSince: Millis | null;
}

/**
 * Queues parts of a webhook, each with its own content, so that they outlive the webhook's file. A part that is queued
 * twice is ingested once.
 */
export async function queueParts(
  ports: Pick<IngestPorts, "inbound" | "files" | "selectUpdates">,
  { id, inbound, raw, waitedSince }: SplitWebhook,
  parts: readonly QueuedPart[],
): Promise<void> {
  if (parts.length === 0) return;
  const { receivedAt, part: ownPart } = inbound;
  const bodies = ports.selectUpdates(
    raw,
    parts.map(({ positions }) => positions),
  );
  const messages = await allDone(
    bodies.map(async (partRaw, index): Promise<QueueMessage> => {
      const number = ownPart ? `${ownPart.number}.${index + 1}` : String(index + 1);
      const content = await storeContent(ports, partRaw, receivedAt);
      const part = { webhook: ownPart?.webhook ?? id, number };
      const body = encodeInbound({ receivedAt, ...content, part, ...traceField(inbound.traceId) });
      const delay = parts[index]?.delay;
      return {
        body: waitedSince === null ? body : withFirstSentAt(body, waitedSince),
        ...(delay === undefined ? {} : { delay }),
      };
    }),
  );
  await ports.inbound.sendAll(messages);
}

/** Loads and decompresses a queued webhook. @returns null when its file no longer exists */
export async function loadInbound(ports: IngestPorts, inbound: InboundMessage): Promise<Uint8Array | null> {
  const bytes = inbound.bytes ?? (inbound.file ? await ports.files.get(inbound.file) : null);
  return bytes ? decompress(bytes) : null;
}

/**
 * Stores the raw copies of a batch, in one row for each hour in which one arrived, or in one file where they are larger.
 * A copy that the next purge would remove is not stored.
 * @param name `rawCopiesName`: a retried record is stored again, under a name of its own unless all others are retried too
 */
export async function storeRawCopies(
  ports: Pick<IngestPorts, "files" | "rawCopies">,
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
      const content = compress(`${lines.join("\n")}\n`);
      if (content.length > RAW_COPY_ROW_BYTES_MAX) return ports.files.put(`${folder}${name}.ndjson.gz`, content);
      const arrivedAt = Math.min(...sameHour.map(({ receivedAt }) => receivedAt));
      return ports.rawCopies.save({ name, arrivedAt, content });
    }),
  );
}
