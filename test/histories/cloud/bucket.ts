import { NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { Millis } from "#base/kernel/time.ts";
import { inProcess, inProcessSettings } from "../../support/world/sdk-in-process.ts";
import { recordPermissions } from "./permissions.ts";

/** One version of an object, from its put to its end. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** When it was deleted or overwritten; null while it exists. */
  removedAt: Millis | null;
}

interface ObjectRequest {
  readonly Bucket?: string;
  readonly Key: string;
  readonly Body?: Uint8Array;
  readonly Prefix?: string;
  readonly ContinuationToken?: string;
  readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] };
}

/** S3 may list fewer than 1,000 keys at once. */
const PAGE_SIZE = 10;

/** One bucket in memory. `objects` has every version that ever was. */
export function openBucket(now: () => Millis) {
  const objects: StoredObject[] = [];
  const current = new Map<string, StoredObject>();
  function remove(key: string): void {
    const object = current.get(key);
    if (object) object.removedAt = now();
    current.delete(key);
  }
  const operations: Readonly<Record<string, (input: ObjectRequest) => object>> = {
    PutObject: ({ Bucket, Key, Body = new Uint8Array() }) => {
      // No function reads the journal.
      if (Bucket === "journal") return {};
      remove(Key);
      const object = { key: Key, bytes: Body, removedAt: null };
      objects.push(object);
      current.set(Key, object);
      return {};
    },
    GetObject: ({ Bucket, Key }) => {
      const object = current.get(Key);
      // S3 says so only to a role that may list the bucket.
      if (!object) recordPermissions({ client: S3Client.name, command: "ListObjectsV2", index: 0, input: { Bucket } });
      if (!object) throw new NoSuchKey({ message: "no such key", $metadata: { httpStatusCode: 404 } });
      return { Body: { transformToByteArray: async () => object.bytes } };
    },
    DeleteObject: ({ Key }) => {
      remove(Key);
      return {};
    },
    DeleteObjects: ({ Delete }) => {
      for (const { Key } of Delete?.Objects ?? []) remove(Key);
      return {};
    },
    ListObjectsV2: ({ Prefix = "", ContinuationToken: after = "" }) => {
      const keys = [...current.keys()].filter((key) => key.startsWith(Prefix) && key > after).sort();
      const page = keys.slice(0, PAGE_SIZE);
      const hasMore = keys.length > page.length;
      return {
        Contents: page.map((Key) => ({ Key })),
        ...(hasMore ? { NextContinuationToken: page.at(-1) } : {}),
      };
    },
  };
  const serve = (command: string, input: ObjectRequest) => {
    const operation = operations[command];
    if (!operation) throw new Error(`The bucket has no ${command}.`);
    return operation(input);
  };
  const client = inProcess(new S3Client(inProcessSettings(serve)));
  return { client, objects };
}

// The first put of a process loads more of the SDK. A history would not wait for it, because no virtual time passes.
await openBucket(() => 0).client.send(new PutObjectCommand({ Bucket: "first", Key: "first", Body: new Uint8Array() }));
