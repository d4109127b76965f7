import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { codeBlocks } from "../../../docs/code-blocks.ts";
import { readPage } from "../../../docs/markdown.ts";

const PAGE = "docs/guides/generated-clients.md";
/** Of one command: the packages of Go and Java take minutes on a machine that has none of them. */
const MINUTES_MAX = 15;

/** Of a test, which runs several commands. */
export const TIMEOUT_MS = 30 * 60_000;

/** The shell commands of a language's section. Throws when the page has none. */
export function guideCommands(language: string): string {
  const commands = sectionBlocks(language).filter((block) => block.language === "sh");
  if (commands.length === 0) throw new Error(`${PAGE} has no commands under "${language}".`);
  return commands.map(({ code }) => code).join("");
}

/**
 * Generates and compiles the client of a language in a folder with `openapi.json`, as the guide says: saves the section's
 * configuration, and runs its commands. Throws with what the command printed, after 15 minutes at the latest.
 */
export async function followGuide(language: string, folder: string): Promise<void> {
  const configurations = sectionBlocks(language).filter((block) => block.language === "yaml");
  for (const { code } of configurations) writeFileSync(join(folder, "parley.yaml"), code);
  try {
    await run("sh", ["-ec", guideCommands(language)], folder);
  } catch (error) {
    const advice = `${PAGE} installs packages of ${language}: check that this machine reaches their registry.`;
    throw new Error(`${(error as Error).message}\n${advice}`);
  }
}

/** Runs a program and returns its standard output. Throws with all that it printed when it fails. */
export async function run(program: string, args: readonly string[], folder: string, env = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env }, timeout: MINUTES_MAX * 60_000, maxBuffer: 2 ** 26 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr, killed } = error as { stdout: string; stderr: string; killed: boolean };
    const reason = killed ? `did not end within ${MINUTES_MAX} minutes` : "failed";
    throw new Error(`${program} ${args.join(" ")} ${reason}.\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
  }
}

function sectionBlocks(language: string) {
  const lines = readPage(PAGE).split("\n");
  const start = lines.indexOf(`## ${language}`) + 1;
  const length = lines.slice(start).findIndex((line) => line.startsWith("## "));
  const end = length < 0 ? lines.length : start + length;
  return start === 0 ? [] : codeBlocks(PAGE).filter(({ line }) => line > start && line <= end);
}
