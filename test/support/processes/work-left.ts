import { AsyncLocalStorage } from "node:async_hooks";
import { interceptCalls } from "./port-calls.ts";

const storage = new AsyncLocalStorage<Set<{ readonly name: string }>>();

/** Ports whose calls `answerOf` observes. */
export function observePorts<P extends object>(ports: P): P {
  return interceptCalls(ports, async (name, call) => {
    const callsInProgress = storage.getStore();
    const entry = { name };
    callsInProgress?.add(entry);
    try {
      return await call();
    } finally {
      callsInProgress?.delete(entry);
    }
  });
}

/**
 * Runs a handler and returns its answer. Lambda freezes a function once it has answered, so a call to AWS or to the
 * platform that the handler started and did not wait for is an error.
 * @param handler calls ports of `observePorts`
 * @throws Error with the names of the calls in progress
 */
export async function answerOf<T>(handler: () => Promise<T>): Promise<T> {
  const callsInProgress = new Set<{ readonly name: string }>();
  const answer = await storage.run(callsInProgress, handler);
  const names = [...callsInProgress].map(({ name }) => name);
  if (names.length > 0) throw new Error(`The handler answered with calls in progress: ${names.join(", ")}.`);
  return answer;
}
