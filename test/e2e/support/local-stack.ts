import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { LocalJson } from "../../../local/stack/local-json.ts";
import { controlHeaders } from "../../support/access/control-token.ts";
import { observeStack } from "../../support/conformance/observed-fetch.ts";
import { descendantsOf } from "../../support/run/process-tree.ts";
import { saveRecords } from "./access/access-records.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";
import { readTable, restoreTable, type StoredItem } from "./dump-table.ts";
import { waitUntilIdle } from "./emulator-journals.ts";
import { type Program, runProgram } from "./processes.ts";
import { purgeQueues } from "./purge-queues.ts";
import { waitFor } from "./wait-for.ts";

/** A local stack in a separate process. */
export interface LocalStack {
  readonly dataDir: string;
  readonly info: Required<LocalJson>;
  /** Sends one API request. `key` defaults to the live key; null sends none. A string body is sent unchanged. */
  api(method: string, path: string, body?: unknown, key?: string | null): Promise<ApiResponse>;
  /** Any request to the gateway. */
  request(path: string, init?: RequestInit): Promise<ApiResponse>;
  /** A control route of the stack, below `/_local`. Throws unless it answers 200. */
  local<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** A control route of the platform simulator. Throws unless it answers 200. */
  sim<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Advances the stack's clock by an ISO 8601 duration. */
  clock(duration: string): Promise<void>;
  /** The current time of the stack's clock. */
  now(): Promise<number>;
  /** The functions' log of this run. */
  log(): string;
  /** The error output of the program. */
  errors(): string;
  /** Stops the stack as Ctrl-C does, and removes the data folder if this helper created it. */
  stop(): Promise<void>;
  /** Sends SIGKILL; with `everything`, also to its engine and helpers. The data folder stays. */
  kill(everything?: boolean): Promise<void>;
  /** Sends SIGKILL to the engine and helpers only: the stack goes on without its table. */
  killChildren(): void;
}

/** Creates a folder for a stack's data. The caller removes it. */
export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), "parley-e2e-"));
}

interface LocalStackOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  /** Flags of `npm run local`. */
  readonly flags?: readonly string[];
  /** A cloud assembly in place of the run's. What its roles deny does not fail the run. */
  readonly assembly?: string;
}

/**
 * Starts a stack as `npm run local` does, on free ports and from the run's assembly. Each function may do only what its
 * role allows, unless the environment says otherwise; the end of the run fails for what was denied. Resolves once it answers. Throws
 * with its output if it does not.
 */
export async function startLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const dataDir = options.dataDir ?? newDataDir();
  const env: Record<string, string> = { PARLEY_IAM: "strict", ...options.env, PARLEY_PORT: "0", PARLEY_DATA: dataDir };
  // Such a setting changes the templates, so the stack synthesizes its own assembly.
  const hasOtherTemplate = Boolean(
    env.PARLEY_SITE_URL || env.PARLEY_SIGN_UP || env.PARLEY_SIZE || env.PARLEY_AWS_CLIENT,
  );
  const program = hasOtherTemplate
    ? runProgram("bin/local", [], env)
    : runProgram("test/e2e/support/stack-main", [options.assembly ?? assembly(), ...(options.flags ?? [])], env);
  await waitUntilReady(program);
  const { pid } = program.child;
  const children = () => (pid === undefined ? [] : descendantsOf(pid));
  const save = (): void => {
    if (options.assembly === undefined) saveRecords(dataDir, inject("accessRecords"), hasOtherTemplate);
  };
  const info = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as Required<LocalJson>;
  observeStack(info);
  return {
    dataDir,
    info,
    ...stackRequests(info),
    log: () => readFileSync(join(dataDir, "functions.log"), "utf8"),
    errors: program.errors,
    async stop() {
      program.child.kill("SIGTERM");
      await program.exitCode;
      save();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
    async kill(everything = false) {
      const descendants = everything ? children() : [];
      program.child.kill("SIGKILL");
      for (const childPid of descendants) killIfRunning(childPid);
      await program.exitCode;
      save();
    },
    killChildren() {
      for (const childPid of children()) killIfRunning(childPid);
    },
  };
}

/** In `npm run test:full` stacks run as many concurrent invocations as the template allows. */
function assembly(): string {
  return inject(inject("fullRun") ? "assembly" : "limitedAssembly");
}

interface SharedStack {
  readonly stack: LocalStack;
  /** The table's items after the start: the demo tenant, its keys and its accounts. */
  readonly seededItems: readonly StoredItem[];
}

let sharedStack: Promise<SharedStack> | null = null;

/**
 * The local stack that files of this worker use one after another; it has default settings and ends with the run.
 * For a file that does not need a fresh clock: times come from `stack.now`. `log` starts with the file. `stop` deletes
 * the endpoints, ends the faults and restores the simulated accounts, without threads, and the table, so that the next file meets an empty
 * inbox and active accounts.
 */
export async function openSharedStack(): Promise<LocalStack> {
  sharedStack ??= startSharedStack();
  const { stack, seededItems } = await sharedStack;
  const earlierLog = stack.log().length;
  return { ...stack, log: () => stack.log().slice(earlierLog), stop: () => removeLeftovers(stack, seededItems) };
}

async function startSharedStack(): Promise<SharedStack> {
  // In the folder of the run, whose teardown stops it: no hook runs when a worker ends.
  const stack = await startLocalStack({ dataDir: mkdtempSync(join(inject("sharedStacks"), "stack-")) });
  return { stack, seededItems: await readTable(stack) };
}

async function removeLeftovers(stack: LocalStack, seededItems: readonly StoredItem[]): Promise<void> {
  await stack.sim("POST", "/faults", { mode: "none" });
  for (const { id } of (await stack.api("GET", "/v1/webhooks")).body.data.endpoints) {
    const { status, text } = await stack.api("DELETE", `/v1/webhooks/${id}`);
    if (status !== 200) throw new Error(`DELETE /v1/webhooks/${id}: ${status} ${text}`);
  }
  await waitUntilIdle(stack, 60);
  // A later retry would write into the table while the next file reads it.
  await purgeQueues(stack);
  for (const { account_key: key, connection } of stack.info.accounts) {
    const simulated = { account: key.split("#")[1], connection };
    await stack.sim("POST", "/tokens", { ...simulated, action: "restore" });
    await stack.sim("POST", "/restrictions", { ...simulated, minutes: 0 });
    await stack.sim("POST", "/subscriptions", simulated);
  }
  // Checks would fetch what the platforms have and the restored table has not.
  await stack.sim("POST", "/clear-threads");
  await restoreTable(stack, seededItems);
}

async function waitUntilReady(program: Program): Promise<void> {
  let exited = false;
  void program.exitCode.then(() => {
    exited = true;
  });
  const isReady = (): boolean => {
    if (exited) throw new Error(`The stack ended while starting:\n${program.output()}${program.errors()}`);
    return program.output().includes("Parley is running.");
  };
  try {
    await waitFor("the stack answers", isReady, { seconds: 60 });
  } catch (error) {
    program.child.kill("SIGKILL");
    throw error;
  }
}

function stackRequests(info: LocalJson): Pick<LocalStack, "api" | "request" | "local" | "sim" | "clock" | "now"> {
  const request = async (path: string, init: RequestInit = {}): Promise<ApiResponse> =>
    readResponse(await fetch(info.base_url + path, { redirect: "manual", ...init }));
  const control = async <T>(url: string, method: string, body?: unknown): Promise<T> => {
    const headers = { ...controlHeaders(info.control_token), "content-type": "application/json" };
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const local = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    control(`${info.base_url}/_local${path}`, method, body);
  return {
    request,
    local,
    api: (method, path, body, key = info.live_key ?? null) =>
      request(path, {
        method,
        headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    sim: (method, path, body) => control(`${info.simulator_url}/_sim${path}`, method, body),
    async clock(duration) {
      await local("POST", "/clock", { advance: duration });
    },
    now: async () => Date.parse((await local<{ now: string }>("GET", "/clock")).now),
  };
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It already ended with its parent.
  }
}
