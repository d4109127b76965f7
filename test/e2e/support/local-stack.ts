import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalJson } from "../../../local/stack/local-json.ts";
import { type Answer, answerOf } from "./answers.ts";
import { until } from "./poll.ts";
import { descendantsOf, type Program, runProgram } from "./processes.ts";

/** A local stack as a process of its own. */
export interface RunningLocal {
  readonly dataDir: string;
  readonly local: Required<LocalJson>;
  /** One request with a key: the live one unless told otherwise, null for none. A string goes as it is. */
  api(method: string, path: string, body?: unknown, key?: string | null): Promise<Answer>;
  /** Any request to the gateway. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** A control route of the platform simulator. Throws unless it answers 200. */
  sim<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Turns every clock of the stack forward by an ISO 8601 duration. */
  clock(duration: string): Promise<void>;
  /** Now, by the stack's clock. */
  now(): Promise<number>;
  /** What the functions printed in this run. */
  log(): string;
  /** What the program itself complained of. */
  errors(): string;
  /** Ends it as Ctrl-C does, and removes the data folder if it was made here. */
  stop(): Promise<void>;
  /** SIGKILL, with `everything` to its engine and helpers too; the data folder stays. */
  kill(everything?: boolean): Promise<void>;
}

/** A folder for a stack's data; the caller removes it. */
export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), "parley-e2e-"));
}

/** Starts `npm run local` on free ports and resolves once it answers. Throws with all it printed when it does not. */
export async function startLocal(
  options: { env?: Readonly<Record<string, string>>; dataDir?: string } = {},
): Promise<RunningLocal> {
  const dataDir = options.dataDir ?? newDataDir();
  const program = runProgram("local", [], { ...options.env, PARLEY_PORT: "0", PARLEY_DATA: dataDir });
  await untilUp(program);
  const local = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as Required<LocalJson>;
  return {
    dataDir,
    local,
    ...requestsTo(local),
    log: () => readFileSync(join(dataDir, "functions.log"), "utf8"),
    errors: program.errors,
    async stop() {
      program.child.kill("SIGTERM");
      await program.ended;
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
    async kill(everything = false) {
      const { pid } = program.child;
      const below = everything && pid !== undefined ? descendantsOf(pid) : [];
      program.child.kill("SIGKILL");
      for (const one of below) killIfThere(one);
      await program.ended;
    },
  };
}

async function untilUp(program: Program): Promise<void> {
  let over = false;
  void program.ended.then(() => {
    over = true;
  });
  const isUp = (): boolean => {
    if (over) throw new Error(`The stack ended while starting:\n${program.output()}${program.errors()}`);
    return program.output().includes("Parley is running.");
  };
  try {
    await until("the stack answers", isUp, { seconds: 60 });
  } catch (error) {
    program.child.kill("SIGKILL");
    throw error;
  }
}

function requestsTo(local: LocalJson): Pick<RunningLocal, "api" | "request" | "sim" | "clock" | "now"> {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> =>
    answerOf(await fetch(local.base_url + path, { redirect: "manual", ...init }));
  const control = async <T>(url: string, method: string, body?: unknown): Promise<T> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const clock = `${local.base_url}/_local/clock`;
  return {
    request,
    api: (method, path, body, key = local.live_key ?? null) =>
      request(path, {
        method,
        headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    sim: (method, path, body) => control(`${local.simulator_url}/_sim${path}`, method, body),
    async clock(duration) {
      await control(clock, "POST", { advance: duration });
    },
    now: async () => Date.parse((await control<{ now: string }>(clock, "GET")).now),
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended with its parent.
  }
}
