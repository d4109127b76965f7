import { join } from "node:path";
import { readJournal } from "../../../local/emulators/journal.ts";
import type { Message } from "../../../local/emulators/sqs/messages.ts";
import { replay, type SqsRecord } from "../../../local/emulators/sqs/records.ts";
import type { LocalStack } from "./local-stack.ts";
import { waitFor } from "./wait-for.ts";

type FileRecord = { op: "put"; object: { key: string } } | { op: "delete"; keys: string[] } | { op: "bucket" | "drop" };

/** The messages that lie in each queue, by what the emulator of the queues keeps on disk. */
export function readQueues(dataDir: string): Map<string, Message[]> {
  const queues = replay(readJournal<SqsRecord>(join(dataDir, "emulators", "sqs.jsonl")));
  return new Map([...queues].map(([name, { messages }]) => [name, [...messages.values()]]));
}

/** The bodies of all messages that were ever sent to the queues so named, as far as the journal still tells. */
export function sentBodies(dataDir: string, matchesQueue: (queue: string) => boolean): string[] {
  const sends = [...readJournal<SqsRecord>(join(dataDir, "emulators", "sqs.jsonl"))].flatMap((record) =>
    record.op === "send" && matchesQueue(record.queue) ? record.messages : [],
  );
  return sends.map(({ body }) => body);
}

/** The keys of the files in the bucket. */
export function listBucketKeys(dataDir: string): string[] {
  const keys = new Set<string>();
  for (const record of readJournal<FileRecord>(join(dataDir, "emulators", "s3.jsonl"))) {
    if (record.op === "put") keys.add(record.object.key);
    if (record.op === "delete") for (const key of record.keys) keys.delete(key);
  }
  return [...keys].sort();
}

/** How often anything was sent to a queue or put into the bucket: what is refused leaves both as they were. */
export function countWrites(dataDir: string): { sent: number; put: number } {
  const count = (file: string, op: string): number =>
    [...readJournal<{ op: string }>(join(dataDir, "emulators", file))].filter((record) => record.op === op).length;
  return { sent: count("sqs.jsonl", "send"), put: count("s3.jsonl", "put") };
}

/** Waits until no queue holds a message that is due: everything that was taken in is done. Retries of later may stay. */
export async function waitUntilIdle({ dataDir, now }: LocalStack, seconds = 30): Promise<void> {
  await waitFor(
    "the queues are empty",
    async () => {
      const at = await now();
      return [...readQueues(dataDir).values()].flat().every((message) => message.availableAt > at);
    },
    { seconds },
  );
}

/** Why something was given up or failed on the way, as the functions logged it; empty when all went well. */
export function failureLines(log: string): string[] {
  return log
    .split("\n")
    .filter((line) => /"event":"(dead_letter\.quarantined|(record|request|worker)\.failed)"/.test(line));
}
