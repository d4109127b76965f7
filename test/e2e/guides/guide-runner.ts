import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CodeBlock, codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT, readPage } from "../../docs/markdown.ts";
import type { LocalStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

/** The ports that the guides name. Each test run uses free ones instead. */
export type Ports = Readonly<Record<number, number>>;

export interface RunningGuide {
  /** The folder in which the guide's files and programs are. */
  readonly folder: string;
  /** The standard output of each block that ran, in order. */
  readonly outputs: readonly string[];
  /** The output of all programs in the background so far. */
  programOutput(): string;
  stop(): Promise<void>;
}

/** What the programs of the guides print once they accept requests, or nothing. */
const READY = /Listening on port/;

/** What a guide runs on. */
export interface GuideMachine {
  readonly stack: LocalStack;
  readonly ports: Ports;
  /** The packed client: the file that `npm install @parley/client` installs until the package is published. */
  readonly clientArchive: string;
}

/**
 * Does what a page says, in an empty folder outside the repository: saves its programs, starts those marked `background`, and
 * runs its shell blocks in order in one shell, on a running stack. Blocks marked `elsewhere` are for another terminal. A page
 * that names `verify.ts` has that file. Throws with the line and the output of a block that fails.
 */
export async function runGuide(page: string, machine: GuideMachine): Promise<RunningGuide> {
  const folder = mkdtempSync(join(tmpdir(), "parley-guide-"));
  if (readPage(page).includes("receivers/verify.ts"))
    copyFileSync(join(PROJECT, "docs/guides/receivers/verify.ts"), join(folder, "verify.ts"));
  // The guides that read the data folder are followed in the repository.
  if (readPage(page).includes(".parley/")) symlinkSync(machine.stack.dataDir, join(folder, ".parley"));
  const guide = new Guide(page, folder, machine);
  try {
    for (const block of codeBlocks(page)) await guide.run(block);
  } catch (error) {
    await guide.stop();
    throw error;
  }
  return guide;
}

class Guide implements RunningGuide {
  readonly outputs: string[] = [];
  private readonly programs: { child: ChildProcess; output: string; closed: Promise<unknown> }[] = [];
  private readonly page: string;
  readonly folder: string;
  private readonly machine: GuideMachine;

  constructor(page: string, folder: string, machine: GuideMachine) {
    this.page = page;
    this.folder = folder;
    this.machine = machine;
    // The shells of a reader keep their variables between two blocks.
    writeFileSync(join(folder, "variables.sh"), "");
  }

  async run(block: CodeBlock): Promise<void> {
    if (block.marks.includes("elsewhere") || block.marks.includes("tab")) return;
    const code = this.withPorts(block.code);
    if (block.file !== null) this.save(block.file, code);
    else if (block.marks.includes("background")) await this.start(code, block.line);
    else if (block.language === "sh") await this.execute(code, block.line);
    else if (block.language === "json") JSON.parse(code);
    // A part of a file in `receivers`, which test/docs/receivers.test.ts compares and runs.
    else if (block.language === "ts" && this.page.endsWith("/webhooks.md")) return;
    else if (block.language !== "text") throw new Error(`${this.page}:${block.line}: no test for ${block.language}`);
  }

  private withPorts(code: string): string {
    return code.replace(/\b9\d{3}\b/g, (port) => String(this.machine.ports[Number(port)] ?? port));
  }

  private save(file: string, code: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), code);
  }

  private spawn(script: string): ChildProcess {
    // `npm run admin` without npm, which costs more CPU time than the command. The test of the first run uses npm.
    const admin = `while [ "$1" != -- ]; do shift; done; shift; node ${join(PROJECT, "bin/admin.ts")} "$@"`;
    const install = `[ "$*" = "install @parley/client" ]; command npm install --offline --no-audit --no-fund ${this.machine.clientArchive}`;
    const npm = `npm() { if [ "$1" = install ]; then ${install}; else ${admin}; fi; }`;
    const before = `set -euo pipefail\n${npm}\nsource variables.sh`;
    return spawn("bash", ["-c", `${before}\n${script}`], {
      cwd: this.folder,
      detached: true,
      env: {
        HOME: this.folder,
        NODE_NO_WARNINGS: "1",
        PARLEY_DATA: this.machine.stack.dataDir,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  private async start(code: string, line: number): Promise<void> {
    const child = this.spawn(`exec ${code.trim()}`);
    const closed = new Promise((resolve) => child.once("close", resolve));
    const program = { child, output: "", closed };
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        program.output += text;
      });
    this.programs.push(program);
    // A program that prints nothing at its start gets its first request by a retry, if it is late.
    const printsWhenReady = READY.test(readFileSync(join(this.folder, code.trim().split(" ").at(-1) ?? ""), "utf8"));
    await waitFor(`the program of ${this.page}:${line} runs`, () => {
      if (child.exitCode !== null) throw new Error(`${this.page}:${line}: ended with ${program.output}`);
      return !printsWhenReady || READY.test(program.output);
    });
  }

  private async execute(code: string, line: number): Promise<void> {
    const child = this.spawn(`${code}\ndeclare -p | grep -E '^declare -x|^declare -- [A-Z]+=' > variables.sh || true`);
    let output = "";
    let errors = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    const status = await new Promise((resolve) => child.once("close", resolve));
    this.outputs.push(output);
    if (status !== 0) throw new Error(`${this.page}:${line}: exit code ${status}\n${output}${errors}`);
  }

  programOutput(): string {
    return this.programs.map(({ output }) => output).join("");
  }

  async stop(): Promise<void> {
    for (const { child } of this.programs) if (child.exitCode === null) child.kill("SIGKILL");
    await Promise.all(this.programs.map(({ closed }) => closed));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
