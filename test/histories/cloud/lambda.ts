import { functionTimeouts } from "#base/config/function-times.ts";
import type { Millis } from "#base/kernel/time.ts";
import { startProcess, type WorldProcess } from "../../support/world/processes.ts";
import type { Engine } from "../engine/engine.ts";
import { type FunctionName, functionIds } from "./functions.ts";
import type { Handler, HttpResult } from "./handlers.ts";
import { type HttpRequest, toHttpEvent } from "./http-event.ts";

/** What an invocation ended with. `died`: its process was killed, or it ran into its timeout. */
export type InvocationEnd<T = unknown> =
  | { readonly kind: "returned"; readonly result: T }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "died" };

interface Sandbox {
  readonly process: WorldProcess;
  readonly handler: Handler;
  isBusy: boolean;
}

/** The most invocations of a function that run at once. Further messages wait in their queue. */
const CONCURRENCY = 3;

interface Options {
  readonly engine: Engine;
  /** Loads a function in a new process. */
  readonly load: (name: FunctionName) => Handler;
  /** How much a new process's clock is ahead. */
  readonly clockOffset: (processNumber: number) => Millis;
}

/**
 * The service's functions. A sandbox serves one event at a time, and is frozen from its answer to its next event. A
 * killed one is replaced.
 */
export class Lambda {
  readonly #options: Options;
  readonly #sandboxes = new Map<FunctionName, Sandbox[]>();
  readonly #byProcess = new Map<WorldProcess, { readonly name: FunctionName; calls: number; die: () => void }>();
  #started = 0;
  #requests = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  hasRoom(name: FunctionName): boolean {
    return (this.#sandboxes.get(name) ?? []).filter(({ isBusy }) => isBusy).length < CONCURRENCY;
  }

  /** Invokes a function. The result comes when the invocation has ended. */
  invoke<T>(name: FunctionName, event: unknown): Promise<InvocationEnd<T>> {
    const { engine } = this.#options;
    const sandbox = this.#acquire(name);
    const { process, handler } = sandbox;
    const endsAt = engine.now() + functionTimeouts[functionIds[name]];
    const invocation = { getRemainingTimeInMillis: () => endsAt - engine.now() };
    sandbox.isBusy = true;
    process.thaw();
    return new Promise((resolve) => {
      const die = () => {
        if (!sandbox.isBusy) return;
        this.#remove(name, sandbox);
        resolve({ kind: "died" });
      };
      this.#byProcess.set(process, { name, calls: 0, die });
      const end = (outcome: InvocationEnd<T>) => {
        if (process.state === "killed") return;
        sandbox.isBusy = false;
        process.freeze();
        resolve(outcome);
      };
      process
        .run(() => handler(event as never, invocation))
        .then(
          (result) => end({ kind: "returned", result: result as T }),
          (error: unknown) => end({ kind: "failed", error }),
        );
      engine.plan(endsAt, () => {
        if (this.#byProcess.get(process)?.die === die) die();
      });
    });
  }

  /** Sends a request to a function of the HTTP API. */
  request(name: FunctionName, request: HttpRequest): Promise<InvocationEnd<HttpResult>> {
    return this.invoke(name, toHttpEvent(request, `request-${++this.#requests}`));
  }

  /** Counts the calls of a process's current invocation, from 0. */
  countCall(process: WorldProcess): { readonly name: FunctionName; readonly call: number } | null {
    const invocation = this.#byProcess.get(process);
    return invocation ? { name: invocation.name, call: invocation.calls++ } : null;
  }

  /** Ends the process of a running invocation. */
  kill(process: WorldProcess): void {
    this.#byProcess.get(process)?.die();
  }

  #acquire(name: FunctionName): Sandbox {
    const sandboxes = this.#sandboxes.get(name) ?? [];
    this.#sandboxes.set(name, sandboxes);
    const idle = sandboxes.find(({ isBusy }) => !isBusy);
    if (idle) return idle;
    const number = ++this.#started;
    const process = startProcess(`${name} ${number}`, this.#options.clockOffset(number));
    const sandbox = { process, handler: this.#options.load(name), isBusy: false };
    sandboxes.push(sandbox);
    return sandbox;
  }

  #remove(name: FunctionName, sandbox: Sandbox): void {
    sandbox.process.kill();
    this.#byProcess.delete(sandbox.process);
    this.#sandboxes.set(
      name,
      (this.#sandboxes.get(name) ?? []).filter((each) => each !== sandbox),
    );
  }
}
