import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CodeBlock, codeBlocks } from "../../docs/code-blocks.ts";
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
/** What the stack prints when it runs. */
const STACK_READY = /Parley is running\./;
/** The block with which a guide starts the stack, in another terminal. */
const STACK_COMMAND = "npx parley dev";

/** What a guide runs on. */
export interface GuideMachine {
  /** The data folder of a running stack. Null: the guide's own command starts one from the packed package. */
  readonly dataDir: string | null;
  readonly ports: Ports;
  /**
   * The packed packages by their names, such as `@parley/client`: the files that `npm install` installs until they are published.
   * One that is null is left out: its stack runs already.
   */
  readonly archives: Readonly<Record<string, string | null>>;
  /** What the programs in the background print before a reader runs a command, by the command. */
  readonly printedBefore?: Readonly<Record<string, RegExp>>;
  /** How long a program, or the stack, may take until it is ready. Default: 20. */
  readonly readySeconds?: number;
}

/**
 * Does what a page says, in an empty folder outside the repository: saves its programs, starts those marked `background`, and
 * runs its shell blocks in order in one shell. Blocks marked `elsewhere` are for another terminal, and those marked `tab` are
 * parts of programs, which test/web/docs/guide-tabs.test.ts checks. Throws with the line and the output of a block that fails.
 */
export async function runGuide(page: string, machine: GuideMachine): Promise<RunningGuide> {
  const folder = mkdtempSync(join(tmpdir(), "parley-guide-"));
  // As if the stack had been started in this folder.
  if (machine.dataDir !== null) symlinkSync(machine.dataDir, join(folder, ".parley"));
  const guide = new Guide(page, folder, machine);
  try {
    for (const block of codeBlocks(page)) await guide.run(block);
  } catch (error) {
    await guide.stop();
    throw error;
  }
  return guide;
}

/** `npx` without npm, which costs more CPU time than the command. */
const RUNNER = `npx() { "./node_modules/.bin/$1" "\${@:2}"; }`;

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
    const code = this.withPorts(block.code);
    if (this.machine.dataDir === null && code.trim() === STACK_COMMAND) return await this.start(code, block.line);
    if (block.marks.includes("elsewhere") || block.marks.includes("tab")) return;
    if (block.file !== null) this.save(block.file, code);
    else if (block.marks.includes("background")) await this.start(code, block.line);
    else if (block.language === "sh") {
      await this.awaitOutput(this.machine.printedBefore?.[code.trim()], code);
      await this.execute(code, block.line);
    } else if (block.language === "json") JSON.parse(code);
    // A part of a file in `receivers`, which test/docs/receivers.test.ts compares and runs.
    else if (block.language === "ts" && this.page.endsWith("/webhooks.md")) return;
    else if (block.language !== "text") throw new Error(`${this.page}:${block.line}: no test for ${block.language}`);
  }

  private async awaitOutput(printed: RegExp | undefined, command: string): Promise<void> {
    if (printed === undefined) return;
    await waitFor(`a program prints ${printed} before ${command}`, () => printed.test(this.programOutput()), {
      seconds: this.machine.readySeconds ?? 20,
    });
  }

  private withPorts(code: string): string {
    return code.replace(/\b9\d{3}\b/g, (port) => String(this.machine.ports[Number(port)] ?? port));
  }

  private save(file: string, code: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), code);
  }

  /** `npm install @parley/client` and so on, with the packed packages. */
  private installer(): string {
    const cases = Object.entries(this.machine.archives).map(
      ([name, archive]) => `${name}) ${archive === null ? ":" : `archives+=(${archive})`};;`,
    );
    return `npm() {
  [ "$1" = install ] || return 1
  shift
  local archives=() name
  for name in "$@"; do case "$name" in ${cases.join(" ")} *) echo "$name is not packed"; return 1;; esac; done
  command npm install --offline --no-audit --no-fund "\${archives[@]}"
}`;
  }

  private spawn(script: string): ChildProcess {
    const before = `set -euo pipefail\n${this.installer()}\n${RUNNER}\nsource variables.sh`;
    return spawn("bash", ["-c", `${before}\n${script}`], {
      cwd: this.folder,
      detached: true,
      env: {
        HOME: this.folder,
        NODE_NO_WARNINGS: "1",
        // Free ports for a stack that the guide starts.
        PARLEY_PORT: "0",
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  private async start(code: string, line: number): Promise<void> {
    // `exec` needs a program, and `npx` is a function here.
    const child = this.spawn(`exec ${code.trim().replace(/^npx /, "./node_modules/.bin/")}`);
    const closed = new Promise((resolve) => child.once("close", resolve));
    const program = { child, output: "", closed };
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        program.output += text;
      });
    this.programs.push(program);
    const ready = this.readyOutput(code.trim());
    await waitFor(
      `the program of ${this.page}:${line} runs`,
      () => {
        if (child.exitCode !== null) throw new Error(`${this.page}:${line}: ended with ${program.output}`);
        return ready === null || ready.test(program.output);
      },
      { seconds: this.machine.readySeconds ?? 20 },
    );
  }

  /** A program that prints nothing at its start gets its first request by a retry, if it is late. */
  private readyOutput(command: string): RegExp | null {
    if (command === STACK_COMMAND) return STACK_READY;
    return READY.test(readFileSync(join(this.folder, command.split(" ").at(-1) ?? ""), "utf8")) ? READY : null;
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
    // The stack last, and with a signal by which it stops its engine.
    for (const { child } of this.programs.toReversed()) if (child.exitCode === null) child.kill("SIGTERM");
    await Promise.all(this.programs.map(({ closed }) => closed));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
