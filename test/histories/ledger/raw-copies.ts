import { decompress } from "#base/kernel/compression.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { quarantineAttributes as A } from "#features/dead-letters/store/attributes.ts";
import { decodeInbound } from "#features/inbox/queue.ts";
import { rawCopyAttributes as Copy } from "#features/inbox/store/attributes.ts";
import type { StoredObject } from "../cloud/bucket.ts";
import type { Evidence } from "./evidence.ts";

/**
 * The raw bytes of a webhook are nowhere longer than 7 days after their arrival: in no file, and in no dead letter. A row
 * with them has a time to live that ends then.
 */
export function judgeRawCopies({ objects, items, now }: Evidence): string[] {
  const isTooOld = (arrivedAt: Millis, until: Millis) => until > arrivedAt + RETENTION;
  return [
    ...objects
      .filter((object) => isTooOld(oldestArrival(object), object.removedAt ?? now))
      .map((object) => {
        const age = (object.removedAt ?? now) - oldestArrival(object);
        return `the raw copy ${object.key} was stored until ${age} ms after its arrival`;
      }),
    ...items.flatMap((item) => {
      if (item.PK.startsWith("RAW#")) {
        const end = Number(item[Copy.ttl]) * SECOND;
        const arrivedAt = oldestLine(item[Copy.content] as Uint8Array);
        return end < arrivedAt + RETENTION + SECOND ? [] : [`the raw copies ${item.SK} end at ${end}`];
      }
      if (item.PK !== "QUAR#Inbound") return [];
      const arrivedAt = decodeInbound(String(item[A.body]))?.receivedAt;
      if (arrivedAt === undefined || !isTooOld(arrivedAt, now)) return [];
      return [`the dead letter ${item.SK} is stored ${now - arrivedAt} ms after its webhook's arrival`];
    }),
  ];
}

const arrivals = new WeakMap<StoredObject, Millis>();

function oldestArrival(object: StoredObject): Millis {
  let at = arrivals.get(object);
  if (at === undefined) {
    at = oldestLine(object.bytes);
    arrivals.set(object, at);
  }
  return at;
}

function oldestLine(content: Uint8Array): Millis {
  const lines = Buffer.from(decompress(content)).toString("utf8").trim().split("\n");
  return Math.min(...lines.map((line) => Date.parse(JSON.parse(line).received_at)));
}
