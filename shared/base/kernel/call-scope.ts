import { AsyncLocalStorage } from "node:async_hooks";
import { OutOfTime } from "./deadline.ts";

// Lambda freezes a process once its invocation has answered, and thaws it with the next event, seconds or hours later. What
// the invocation left behind must then call nothing: what it read before is out of date. The scope is ambient, like the
// trace id, because every client of AWS, receivers and platforms checks it.

interface Scope {
  ended: boolean;
  readonly outer: Scope | undefined;
}

const storage = new AsyncLocalStorage<Scope>();

/** The calls of an invocation, or of a part of it. */
export interface CallScope {
  /** Runs work whose calls belong to the scope, and to the scope of the caller. */
  run<T>(work: () => T): T;
  /** From now on no call of the work begins. A call in progress may complete, without another try. */
  end(): void;
}

export function openCallScope(): CallScope {
  const scope: Scope = { ended: false, outer: storage.getStore() };
  return {
    run: (work) => storage.run(scope, work),
    end: () => {
      scope.ended = true;
    },
  };
}

/** Runs an invocation. Once it has ended, nothing that it left behind begins a call. */
export async function runInvocation<T>(work: () => Promise<T>): Promise<T> {
  const calls = openCallScope();
  try {
    return await calls.run(work);
  } finally {
    calls.end();
  }
}

/** @returns whether the work that called this function may still begin a call. Outside of every scope it always may */
export function captureCallScope(): () => boolean {
  const scope = storage.getStore();
  return () => isOpen(scope);
}

/** @throws OutOfTime when no call may begin. Then nothing of the call was sent */
export function requireOpenCallScope(): void {
  if (!isOpen(storage.getStore())) throw new OutOfTime("The invocation has answered, so the call does not begin.");
}

function isOpen(scope: Scope | undefined): boolean {
  for (let current = scope; current; current = current.outer) if (current.ended) return false;
  return true;
}

/** A read that several invocations may await. */
export interface SharedRead<T> {
  readonly value: Promise<T>;
  /** False when the invocation that started the read has ended before the read: then it may never succeed. */
  isUsable(): boolean;
}

export function startSharedRead<T>(read: () => Promise<T>): SharedRead<T> {
  const mayCall = captureCallScope();
  const value = read();
  let succeeded = false;
  value.then(
    () => {
      succeeded = true;
    },
    () => {},
  );
  return { value, isUsable: () => succeeded || mayCall() };
}

interface MiddlewareStack {
  add(
    middleware: <Args, Result>(next: (args: Args) => Promise<Result>) => (args: Args) => Promise<Result>,
    options: { name: string; step: "finalizeRequest"; priority: "low"; override: true },
  ): void;
}

/** A plugin for a client of AWS: an attempt, a retry included, begins only while its scope is open. Safe to use twice. */
export const callScopePlugin = {
  applyToStack(stack: MiddlewareStack): void {
    stack.add(
      (next) => async (args) => {
        requireOpenCallScope();
        return next(args);
      },
      // Inside the SDK's retries.
      { name: "callScope", step: "finalizeRequest", priority: "low", override: true },
    );
  },
};
