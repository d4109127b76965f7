import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../cli-error.ts";
import { dataFolder } from "../target/local-stack.ts";
import { requireLocal, type Target } from "../target/target.ts";
import { printLines } from "../text/print.ts";
import { waitForSignal } from "../text/signals.ts";

const LINES_DEFAULT = 20;
const TAIL_BYTES_MAX = 4_000_000;
const POLL_MS = 250;

export interface LogsArguments {
  readonly lines?: string | undefined;
  readonly match?: string | undefined;
  readonly follow: boolean;
}

/**
 * Prints the last lines of the functions' log of the local stack. With `--follow`, prints new lines until a signal.
 * @throws CliError for a deployment, an invalid number, and when there is no log
 */
export async function logs(target: Target, { lines, match, follow }: LogsArguments): Promise<undefined> {
  requireLocal(target, "logs");
  const count = lines === undefined ? LINES_DEFAULT : Number(lines);
  if (!Number.isInteger(count) || count < 0) throw new CliError(`Invalid number of lines: ${lines}. Use 0 or more.`);
  const file = join(dataFolder(), "functions.log");
  const isMatch = (line: string) => line !== "" && (match === undefined || line.includes(match));
  const tail = readFrom(file, Math.max(0, sizeOf(file) - TAIL_BYTES_MAX));
  const text = tail.bytes.toString("utf8");
  const whole = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(isMatch);
  for (const line of count === 0 ? [] : whole.slice(-count)) printLines(line);
  if (!follow) return;
  let isStopped = false;
  void waitForSignal().then(() => {
    isStopped = true;
  });
  let position = tail.end;
  let rest = text.slice(text.lastIndexOf("\n") + 1);
  const decoder = new StringDecoder("utf8");
  while (!isStopped) {
    await sleep(POLL_MS);
    // A restart of the stack may begin the file again.
    if (sizeOf(file) < position) [position, rest] = [0, ""];
    const added = readFrom(file, position);
    position = added.end;
    const parts = (rest + decoder.write(added.bytes)).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts.filter(isMatch)) printLines(line);
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    throw new CliError(`No log in ${file}. Start the local stack.`);
  }
}

function readFrom(file: string, start: number): { readonly bytes: Buffer; readonly end: number } {
  const bytes = Buffer.alloc(Math.max(0, sizeOf(file) - start));
  const descriptor = openSync(file, "r");
  try {
    const length = readSync(descriptor, bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, length), end: start + length };
  } finally {
    closeSync(descriptor);
  }
}
