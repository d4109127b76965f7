import { execFile, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { SignedCase } from "./signed-cases.ts";

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

const MAX_MS = 90_000;
const execute = promisify(execFile);

/** Runs a program to its end. Throws with its output unless it exits with 0. */
export async function runCommand([program, ...args]: Command, options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  await execute(program, args, { timeout: MAX_MS, ...options });
}

/** Starts a driver once, passes every case, and returns the verdicts in order. */
export async function runCases([program, ...args]: Command, cases: readonly SignedCase[]): Promise<readonly boolean[]> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], timeout: MAX_MS });
  const spawnError = new Promise<never>((_, reject) => child.once("error", reject));
  // A driver that dies early breaks the pipe. The error below has its output.
  child.stdin.on("error", () => {});
  child.stdin.end(cases.map(toLine).join(""));
  const [output, errors] = await Promise.race([spawnError, Promise.all([text(child.stdout), text(child.stderr)])]);
  const verdicts = output.trim().split(/\r?\n/);
  if (verdicts.length !== cases.length || verdicts.some((verdict) => verdict !== "true" && verdict !== "false")) {
    throw new Error(`${program} judged ${verdicts.length} of ${cases.length}: ${errors || output}`);
  }
  return verdicts.map((verdict) => verdict === "true");
}

/** See drivers/driver.mjs. */
function toLine({ body, timestamp, signature, secret, now }: SignedCase): string {
  const field = (value: Uint8Array | string | null): string =>
    value === null ? "-" : Buffer.from(value as Uint8Array).toString("base64");
  return `${[body, timestamp, signature, secret, String(now)].map(field).join("\t")}\n`;
}
