import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Program, ProgramArguments } from "./programs.ts";

/** A running engine process. */
export interface EngineChild {
  /** The engine's own process id, not its watcher's. */
  readonly pid: number;
  /** Sends SIGTERM, after two seconds SIGKILL, and resolves when the engine has ended. Idempotent. */
  close(): Promise<void>;
}

/** The engine ended or did not respond while starting. The message contains its output. */
export class EngineFailed extends Error {
  override readonly name = "EngineFailed";
}

// The engine must not outlive this process, even after SIGKILL. A shell therefore watches the read end of a pipe whose
// only write end is ours, and stops the engine when the pipe closes. The first line on stdout is the engine's pid. The
// engine's output goes to stderr. Its files are its owner's alone.
const WATCHER = `
umask 077
exec 3<&0
"$@" </dev/null 3<&- 1>&2 &
engine=$!
echo "$engine"
exec >/dev/null 2>&1
(
  cat <&3
  kill "$engine"
  for step in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 "$engine" || exit
    sleep 0.1
  done
  kill -KILL "$engine"
) &
watcher=$!
wait "$engine"
kill "$watcher"
`;

const READY_MS = 60_000;
const POLL_MS = 10;
const OUTPUT_MAX = 4_000;

/**
 * Runs the program and waits until it responds on its port. It has its own session, so that Ctrl-C does not reach it, and
 * it does not keep this process alive.
 * @throws EngineFailed
 */
export async function runChild(program: Program, options: ProgramArguments): Promise<EngineChild> {
  const command = program.command(options);
  const { host, port } = options;
  const child = spawn("/bin/sh", ["-c", WATCHER, "engine", ...command], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  child.stdin.on("error", () => {}); // the pipe breaks when the engine ends first
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-OUTPUT_MAX);
  });

  const close = async (): Promise<void> => {
    child.ref();
    child.stdin.destroy();
    await exited;
  };
  try {
    const pid = await readPid(child, exited);
    await waitUntilReady(program, { host, port }, child, () => output);
    release(child);
    return { pid, close };
  } catch (error) {
    await close();
    throw new EngineFailed(`${program.name} did not start on port ${port}: ${errorMessage(error)}\n${output}`.trim());
  }
}

async function readPid(child: ChildProcess, exited: Promise<void>): Promise<number> {
  if (child.stdout === null) throw new Error("its watcher has no output");
  const first = await Promise.race([once(child.stdout, "data"), exited]);
  const pid = Number.parseInt(String(first?.[0]), 10);
  if (!(pid > 0)) throw new Error("/bin/sh could not run it");
  return pid;
}

async function waitUntilReady(
  program: Program,
  address: Pick<ProgramArguments, "host" | "port">,
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  const timeout = AbortSignal.timeout(READY_MS);
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("it ended");
    if (program.portTaken.test(output())) throw new Error("the port is taken");
    if (timeout.aborted) throw new Error(`no answer within ${READY_MS / 1000} seconds`);
    // A response alone may come from another process that took the port.
    const hasPort = program.listening?.test(output()) ?? true;
    if (hasPort && (await isListening(address))) return;
    await wait(POLL_MS);
  }
}

function isListening({ host, port }: Pick<ProgramArguments, "host" | "port">): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host, port, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(true);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

function release(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
