import { closeSync, openSync, readSync, renameSync, writeSync } from "node:fs";

// One append-only file of JSON lines per service. An entry is written to the operating system before its call is
// answered, so an answered call survives a crash of the process. It may not survive a power loss: there is no fsync.

const CHUNK_BYTES = 1024 * 1024;
const REWRITE_FLOOR_BYTES = 32 * 1024 * 1024;
const REWRITE_GROWTH = 4;
const NEWLINE = 10;

/**
 * Reads the entries of a journal in the order they were appended; none if the file does not exist. A last line without
 * a newline is skipped: its process ended during the write, before the call was answered.
 */
export function* readJournal<Entry>(file: string): Generator<Entry> {
  let number = 0;
  for (const line of readLines(file)) {
    number += 1;
    try {
      yield JSON.parse(line) as Entry;
    } catch {
      throw new Error(`${file}: line ${number} is damaged. Move the file away to start without its data.`);
    }
  }
}

export class Journal<Entry> {
  readonly #file: string;
  #descriptor = -1;
  #bytes = 0;
  #rewriteAt = 0;

  /** Rewrites the file with `entries`, the shortest record of the service's state. */
  constructor(file: string, entries: Iterable<Entry>) {
    this.#file = file;
    this.rewrite(entries);
  }

  /** Appends in one write. Throws if the write fails. */
  append(...entries: Entry[]): void {
    if (entries.length === 0) return;
    this.#bytes += writeAll(this.#descriptor, entries.map(toLine).join(""));
  }

  /** True if the file has grown so large that a rewrite is worth its cost. */
  get needsRewrite(): boolean {
    return this.#bytes > this.#rewriteAt;
  }

  /** Replaces the file atomically with one that holds only `entries`. */
  rewrite(entries: Iterable<Entry>): void {
    const temporary = `${this.#file}.new`;
    const descriptor = openSync(temporary, "w", 0o600);
    let bytes = 0;
    let pending = "";
    for (const entry of entries) {
      pending += toLine(entry);
      if (pending.length < CHUNK_BYTES) continue;
      bytes += writeAll(descriptor, pending);
      pending = "";
    }
    bytes += writeAll(descriptor, pending);
    renameSync(temporary, this.#file);
    this.close();
    this.#descriptor = descriptor;
    this.#bytes = bytes;
    this.#rewriteAt = Math.max(REWRITE_FLOOR_BYTES, bytes * REWRITE_GROWTH);
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
  }
}

function toLine(entry: unknown): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Writes all bytes, even if the system splits the write. Returns the number of bytes. */
function writeAll(descriptor: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
  return bytes.length;
}

/** The complete lines of a file, read in chunks: a journal can exceed the maximum length of a string. */
function* readLines(file: string): Generator<string> {
  const descriptor = openIfExists(file);
  if (descriptor === null) return;
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest: Buffer[] = [];
    for (let bytesRead = readSync(descriptor, chunk); bytesRead > 0; bytesRead = readSync(descriptor, chunk)) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < bytesRead; end = chunk.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString();
        rest = [];
        start = end + 1;
      }
      rest.push(Buffer.from(chunk.subarray(start, bytesRead)));
    }
  } finally {
    closeSync(descriptor);
  }
}

function openIfExists(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
