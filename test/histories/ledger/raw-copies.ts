import { decompress } from "#base/kernel/compression.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { quarantineAttributes as A } from "#features/dead-letters/store/attributes.ts";
import { decodeInbound } from "#features/inbox/queue.ts";
import type { StoredObject } from "../cloud/bucket.ts";
import type { Evidence } from "./evidence.ts";

/** The raw bytes of a webhook are nowhere longer than 7 days after their arrival: in no file, and in no dead letter. */
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
    const lines = Buffer.from(decompress(object.bytes)).toString("utf8").trim().split("\n");
    at = Math.min(...lines.map((line) => Date.parse(JSON.parse(line).received_at)));
    arrivals.set(object, at);
  }
  return at;
}
