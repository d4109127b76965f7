import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decompress } from "#base/kernel/compression.ts";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import { JOURNAL_PREFIX } from "#features/recovery/journal.ts";
import { readJournal } from "#local-aws/emulators/journal.ts";
import type { Message } from "#local-aws/emulators/sqs/messages.ts";
import { replay, type SqsRecord } from "#local-aws/emulators/sqs/records.ts";
import type { LocalStack } from "./local-stack.ts";
import { waitFor } from "./wait-for.ts";

type FileRecord =
  | { op: "put"; object: { key: string; file: string } }
  | { op: "delete"; keys: string[] }
  | { op: "bucket" | "drop" };

/** The messages in each queue, read from the SQS emulator's journal. */
export function readQueues(dataDir: string): Map<string, Message[]> {
  const queues = replay(readJournal<SqsRecord>(join(dataDir, "emulators", "sqs.jsonl")));
  return new Map([...queues].map(([name, { messages }]) => [name, [...messages.values()]]));
}

/** The bodies of all messages sent to the matching queues, as far as the journal still holds them. */
export function sentBodies(dataDir: string, matchesQueue: (queue: string) => boolean): string[] {
  const sends = [...readJournal<SqsRecord>(join(dataDir, "emulators", "sqs.jsonl"))].flatMap((record) =>
    record.op === "send" && matchesQueue(record.queue) ? record.messages : [],
  );
  return sends.map(({ body }) => body);
}

/** The keys of the objects in the bucket. */
export function listBucketKeys(dataDir: string): string[] {
  return [...objectFiles(dataDir).keys()].sort();
}

/** The keys of all objects that were put into the bucket, as far as the journal still holds them. */
export function listPutKeys(dataDir: string): string[] {
  const records = [...readJournal<FileRecord>(join(dataDir, "emulators", "s3.jsonl"))];
  return records.flatMap((record) => (record.op === "put" ? [record.object.key] : []));
}

/** The objects in the buckets by their keys, decompressed. Entries of the journal are not compressed. */
export function readBucket(dataDir: string): Map<string, string> {
  const folder = join(dataDir, "emulators", "s3-objects");
  const read = (key: string, file: string) => {
    const bytes = readFileSync(join(folder, file));
    return Buffer.from(key.startsWith(JOURNAL_PREFIX) ? bytes : decompress(bytes)).toString();
  };
  return new Map([...objectFiles(dataDir)].map(([key, file]) => [key, read(key, file)]));
}

/** The names of the files with the objects' bytes, by the objects' keys. */
function objectFiles(dataDir: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const record of readJournal<FileRecord>(join(dataDir, "emulators", "s3.jsonl"))) {
    if (record.op === "put") files.set(record.object.key, record.object.file);
    if (record.op === "delete") for (const key of record.keys) files.delete(key);
  }
  return files;
}

/** The number of messages sent to queues and of objects put into the bucket. A rejected request changes neither. */
export function countWrites(dataDir: string): { sent: number; put: number } {
  const count = (file: string, op: string): number =>
    [...readJournal<{ op: string }>(join(dataDir, "emulators", file))].filter((record) => record.op === op).length;
  return { sent: count("sqs.jsonl", "send"), put: count("s3.jsonl", "put") };
}

/** When a message is due: its delay is over, and its consumer has not postponed it. One in flight is due. */
export function dueAt({ availableAt, postponedUntil = availableAt }: Message): number {
  return Math.max(availableAt, postponedUntil);
}

/**
 * Waits until no queue holds a due message, so that all accepted work is done. Later retries may remain, but no event that
 * waits for the name of a person.
 */
export async function waitUntilIdle({ dataDir, now }: LocalStack, seconds = 30): Promise<void> {
  let due: string[] = [];
  const isIdle = async () => {
    const queues = [...readQueues(dataDir)];
    // Asked after the read: a message sent between the two would seem to be a later retry.
    const at = await now();
    due = queues.flatMap(([name, messages]) =>
      messages
        .filter((message) => dueAt(message) <= at + (/Events/.test(name) ? FIRST_EVENT_WAIT : 0))
        .map((message) => `${name}, for ${at - dueAt(message)} ms: ${message.body.slice(0, 200)}`),
    );
    return due.length === 0;
  };
  await waitFor("the queues are empty", isIdle, { seconds }).catch((error: unknown) => {
    throw new Error([String(error), ...due].join("\n"));
  });
}

/** The failures and dead letters that the functions logged; empty if there were none. */
export function failureLines(log: string): string[] {
  return log
    .split("\n")
    .filter((line) => /"event":"(dead_letter\.quarantined|(record|request|worker)\.failed)"/.test(line));
}
