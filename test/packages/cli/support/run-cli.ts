import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../docs/markdown.ts";

export interface CliProcess {
  readonly output: () => string;
  readonly errors: () => string;
  readonly exitCode: Promise<number | null>;
  stop(): Promise<number | null>;
}

/** A folder for the files of this user, such as the secret of `listen`. */
export function openConfigFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "parley-cli-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts `parley` from its sources. @param env the whole environment besides PATH */
export function startCli(args: readonly string[], env: Record<string, string>): CliProcess {
  const main = join(PROJECT, "packages/cli/src/main.ts");
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH ?? "", ...env } });
  const texts = { output: "", errors: "" };
  child.stdout.on("data", (chunk) => (texts.output += chunk));
  child.stderr.on("data", (chunk) => (texts.errors += chunk));
  const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    output: () => texts.output,
    errors: () => texts.errors,
    exitCode,
    async stop() {
      child.kill("SIGINT");
      return await exitCode;
    },
  };
}

/** Runs `parley` to its end. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}) {
  const program = startCli(args, env);
  const code = await program.exitCode;
  return { code, output: program.output(), errors: program.errors() };
}
