import { AsyncLocalStorage } from "node:async_hooks";

// The trace id follows one request through every queue. It is ambient, because it must never influence a decision.

const storage = new AsyncLocalStorage<string | null>();

/** Runs `work` under a trace id, or under none. Queue messages and log lines written by it carry the id. */
export function runWithTrace<T>(traceId: string | null, work: () => T): T {
  return storage.run(traceId, work);
}

/** The trace id of the request or queue message being processed; null when it has none. */
export function currentTraceId(): string | null {
  return storage.getStore() ?? null;
}

/** The request or webhook that caused a message, a row or a log line. */
export interface Traced {
  readonly traceId?: string;
}

/** A trace id as a field to spread; empty when there is none. */
export function traceField(traceId: string | null | undefined): Traced {
  return traceId === null || traceId === undefined ? {} : { traceId };
}

/** The current trace id as a field to spread; empty when there is none. */
export function currentTrace(): Traced {
  return traceField(currentTraceId());
}

/** 1 to 100 characters that are safe in a header and in a log line. */
export function isTraceId(text: string): boolean {
  return /^[\w=+/.-]{1,100}$/.test(text);
}
