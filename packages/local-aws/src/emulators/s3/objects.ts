import { createHash, randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Millis } from "../../support/time.ts";
import { Journal, readJournal } from "../journal.ts";
import { type CorsRule, parseCors } from "./cors.ts";
import { S3Error } from "./errors.ts";

/** The metadata that a writer sets. */
export interface ObjectMetadata {
  /** Headers that are returned unchanged: content-type, content-encoding, cache-control, … */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata, without `x-amz-meta-`. */
  readonly meta: Readonly<Record<string, string>>;
}

export interface StoredObject extends ObjectMetadata {
  readonly key: string;
  /** The name of the file that holds the bytes. */
  readonly file: string;
  readonly size: number;
  /** In quotes. */
  readonly etag: string;
  readonly at: Millis;
}

interface Bucket {
  readonly objects: Map<string, StoredObject>;
  /** The CORS rules of a bucket, parsed. */
  cors: readonly CorsRule[];
  /** The documents of its settings by their names. */
  readonly settings: Map<string, string>;
}

type BucketRecord =
  /** With CORS rules: of an earlier release, which stored no other setting. */
  | { readonly op: "bucket"; readonly bucket: string; readonly cors?: readonly CorsRule[] }
  | { readonly op: "setting"; readonly bucket: string; readonly name: string; readonly value: string | null }
  | { readonly op: "drop"; readonly bucket: string }
  | { readonly op: "put"; readonly bucket: string; readonly object: StoredObject }
  | { readonly op: "delete"; readonly bucket: string; readonly keys: readonly string[] };

/**
 * Buckets and objects. `s3.jsonl` lists them, and `s3-objects` holds one file with the bytes of each object. A file is
 * written once and becomes an object when a journal line names it. At the start, files that no line names are deleted.
 */
export class ObjectStore {
  readonly #now: () => Millis;
  readonly #folder: string;
  readonly #buckets = new Map<string, Bucket>();
  readonly #journal: Journal<BucketRecord>;

  constructor(dataDir: string, now: () => Millis) {
    this.#now = now;
    this.#folder = join(dataDir, "s3-objects");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(dataDir, "s3.jsonl");
    for (const record of readJournal<BucketRecord>(file)) this.#apply(record);
    this.#journal = new Journal(file, this.#records());
    this.#sweep();
  }

  bucketNames(): string[] {
    return [...this.#buckets.keys()];
  }

  has(bucket: string): boolean {
    return this.#buckets.has(bucket);
  }

  saveBucket(bucket: string): void {
    this.#write({ op: "bucket", bucket });
  }

  /** Sets the document of a setting, such as `cors`, or removes it for null. */
  saveSetting(bucket: string, name: string, value: string | null): void {
    this.#bucket(bucket);
    this.#write({ op: "setting", bucket, name, value });
  }

  /** Null: it was not set. */
  setting(bucket: string, name: string): string | null {
    return this.#bucket(bucket).settings.get(name) ?? null;
  }

  deleteBucket(bucket: string): void {
    if (this.#bucket(bucket).objects.size > 0) {
      throw new S3Error("BucketNotEmpty", 409, "The bucket is not empty: delete its objects first.");
    }
    this.#write({ op: "drop", bucket });
  }

  cors(bucket: string): readonly CorsRule[] {
    return this.#buckets.get(bucket)?.cors ?? [];
  }

  /** The objects of a bucket, sorted by key. */
  list(bucket: string): StoredObject[] {
    return [...this.#bucket(bucket).objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  find(bucket: string, key: string): StoredObject | undefined {
    return this.#bucket(bucket).objects.get(key);
  }

  get(bucket: string, key: string): StoredObject {
    const object = this.find(bucket, key);
    if (object) return object;
    throw new S3Error("NoSuchKey", 404, "The specified key does not exist.");
  }

  put(bucket: string, key: string, body: Buffer, { headers, meta }: ObjectMetadata): StoredObject {
    const previous = this.find(bucket, key);
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const object: StoredObject = { key, file: randomUUID(), size: body.length, etag, at: this.#now(), headers, meta };
    writeFileSync(this.#path(object), body, { mode: 0o600 });
    this.#write({ op: "put", bucket, object });
    if (previous) this.#remove(previous);
    return object;
  }

  /** Ignores missing keys, as S3 does. */
  delete(bucket: string, keys: readonly string[]): void {
    const { objects } = this.#bucket(bucket);
    const deletedObjects = keys.map((key) => objects.get(key)).filter((object) => object !== undefined);
    if (deletedObjects.length === 0) return;
    this.#write({ op: "delete", bucket, keys: deletedObjects.map((object) => object.key) });
    for (const object of deletedObjects) this.#remove(object);
  }

  /** All bytes, or those from `from` to `to` inclusive. */
  read(object: StoredObject, range?: { from: number; to: number }): Buffer {
    if (!range) return readFileSync(this.#path(object));
    const descriptor = openSync(this.#path(object), "r");
    try {
      const bytes = Buffer.alloc(range.to - range.from + 1);
      readSync(descriptor, bytes, 0, bytes.length, range.from);
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  }

  close(): void {
    this.#journal.close();
  }

  #bucket(name: string): Bucket {
    const bucket = this.#buckets.get(name);
    if (bucket) return bucket;
    throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
  }

  #path(object: StoredObject): string {
    return join(this.#folder, object.file);
  }

  #remove(object: StoredObject): void {
    rmSync(this.#path(object), { force: true });
  }

  #write(record: BucketRecord): void {
    this.#journal.append(record);
    this.#apply(record);
    if (this.#journal.needsRewrite) this.#journal.rewrite(this.#records());
  }

  #apply(record: BucketRecord): void {
    const bucket = this.#buckets.get(record.bucket);
    if (record.op === "bucket") {
      if (bucket) bucket.cors = record.cors ?? [];
      else this.#buckets.set(record.bucket, { objects: new Map(), cors: record.cors ?? [], settings: new Map() });
    } else if (record.op === "setting") applySetting(bucket, record.name, record.value);
    else if (record.op === "drop") this.#buckets.delete(record.bucket);
    else if (record.op === "put") bucket?.objects.set(record.object.key, record.object);
    else for (const key of record.keys) bucket?.objects.delete(key);
  }

  *#records(): Generator<BucketRecord> {
    for (const [bucket, { cors, settings, objects }] of this.#buckets) {
      yield { op: "bucket", bucket, cors };
      for (const [name, value] of settings) yield { op: "setting", bucket, name, value };
      for (const object of objects.values()) yield { op: "put", bucket, object };
    }
  }

  #sweep(): void {
    const referencedFiles = new Set(
      [...this.#buckets.values()].flatMap(({ objects }) => [...objects.values()].map((o) => o.file)),
    );
    for (const file of readdirSync(this.#folder)) if (!referencedFiles.has(file)) rmSync(join(this.#folder, file));
  }
}

function applySetting(bucket: Bucket | undefined, name: string, value: string | null): void {
  if (bucket === undefined) return;
  if (value === null) bucket.settings.delete(name);
  else bucket.settings.set(name, value);
  if (name === "cors") bucket.cors = value === null ? [] : parseCors(value);
}
