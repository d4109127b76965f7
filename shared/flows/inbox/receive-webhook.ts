import { compress } from "../../kernel/compression.ts";
import { newUlid } from "../../kernel/ids.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import { encodeInbound } from "../../queues/messages.ts";
import type { IntakePorts } from "./ports.ts";

/** A queue message holds 1 MiB; anything that would come near is kept as a file, with its key on the queue. */
const INLINE_BYTES_MAX = 200_000;

/**
 * Makes a verified webhook durable. Resolves once the queue has it: only then may the platform get its 200.
 * Run twice it is queued twice, which the ingest worker settles.
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
