import { AsyncLocalStorage } from "node:async_hooks";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { interceptCalls } from "./port-calls.ts";

interface Handling {
  readonly callsInProgress: Set<{ readonly name: string }>;
  hasAnswered: boolean;
}

const storage = new AsyncLocalStorage<Handling>();
const lateCalls: string[] = [];

async function observe<T>(name: string, call: () => Promise<T>): Promise<T> {
  const handling = storage.getStore();
  if (handling?.hasAnswered) lateCalls.push(name);
  const entry = { name };
  handling?.callsInProgress.add(entry);
  try {
    return await call();
  } finally {
    handling?.callsInProgress.delete(entry);
  }
}

/** Ports whose calls `answerOf` observes. */
export function observePorts<P extends object>(ports: P): P {
  return interceptCalls(ports, observe);
}

/** Lets `answerOf` observe each attempt of these clients of the SDK that goes over the wire. */
export function observeClients(clients: readonly unknown[]): void {
  for (const client of clients) {
    (client as DynamoDBClient).middlewareStack.add(
      (next, context) => (args) => observe(String(context.commandName), () => next(args)),
      // Below everything that may refuse an attempt.
      { name: "observed calls", step: "deserialize", priority: "low" },
    );
  }
}

/**
 * Runs a handler and returns its answer. Lambda freezes a function once it has answered, so a call to AWS or to the
 * platform that the handler started and did not wait for is an error.
 * @param handler calls ports of `observePorts` or clients of `observeClients`
 * @throws Error with the names of the calls in progress
 */
export async function answerOf<T>(handler: () => Promise<T>): Promise<T> {
  const handling: Handling = { callsInProgress: new Set(), hasAnswered: false };
  const answer = await storage.run(handling, handler);
  handling.hasAnswered = true;
  const names = [...handling.callsInProgress].map(({ name }) => name);
  if (names.length > 0) throw new Error(`The handler answered with calls in progress: ${names.join(", ")}.`);
  return answer;
}

/** @throws Error with the names of the calls that began after their handler had answered, since the last call of this */
export function requireNoLateCalls(): void {
  const names = lateCalls.splice(0);
  if (names.length > 0) throw new Error(`Calls began after their handler had answered: ${names.join(", ")}.`);
}
