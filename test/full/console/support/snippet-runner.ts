import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

// The snippets of the console, run as a person does who pastes them into a file.

/** What a program of a receiver got, and with what it verifies it. */
export interface SignedCase {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Each reads the cases from its input, and prints the verdicts of the snippet in the file beside it. */
const programs = {
  TypeScript: {
    snippet: "verify.ts",
    main: "main.ts",
    run: [process.execPath],
    code: `
import { verify } from "./verify.ts";
let input = "";
for await (const part of process.stdin) input += part;
const verdicts = JSON.parse(input).map(({ raw, headers, secret, now }) => verify(Buffer.from(raw, "base64"), headers, secret, now));
process.stdout.write(JSON.stringify(verdicts));
`,
  },
  Python: {
    snippet: "verify.py",
    main: "main.py",
    run: ["python3", "-B"],
    code: `
import base64, datetime, json, sys
from verify import verify

cases = json.load(sys.stdin)
at = lambda now: datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc)
print(json.dumps([verify(base64.b64decode(c["raw"]), c["headers"], c["secret"], at(c["now"])) for c in cases]))
`,
  },
} as const;

type Language = keyof typeof programs;

/** The languages that this machine runs: TypeScript, and Python where it is installed. */
export function snippetTools(): readonly Language[] {
  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  return hasPython ? ["TypeScript", "Python"] : ["TypeScript"];
}

/** Saves a snippet and verifies each case with it. @returns a verdict for each case */
export async function runSnippet(
  folder: string,
  language: Language,
  snippet: string,
  cases: readonly SignedCase[],
): Promise<readonly boolean[]> {
  const { snippet: snippetFile, main, run, code } = programs[language];
  writeFileSync(join(folder, snippetFile), snippet);
  writeFileSync(join(folder, main), code);
  const input = JSON.stringify(cases.map(({ raw, ...rest }) => ({ ...rest, raw: raw.toString("base64") })));
  const [command, ...args] = run;
  return JSON.parse(await runProgram(command, [...args, main], { cwd: folder, input })) as boolean[];
}

/** Runs commands of a shell as they are shown. @returns what they print */
export function runShell(commands: string, env: Readonly<Record<string, string>>): Promise<string> {
  return runProgram("sh", ["-e"], { input: commands, env: { ...process.env, ...env } });
}

interface RunOptions {
  readonly input: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program; this process goes on, because its servers may be called. @returns what it prints */
async function runProgram(
  command: string,
  args: readonly string[],
  { input, ...options }: RunOptions,
): Promise<string> {
  const running = promisify(execFile)(command, [...args], { timeout: 60_000, ...options });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
