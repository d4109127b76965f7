import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Millis } from "#base/kernel/time.ts";

/** Turns of the event loop without a call in progress, after which no task proceeds by itself. */
const QUIET_TURNS = 4;

interface Clock {
  now(): Millis;
  /** Advances the clock of all parts. */
  advance(by: Millis): void;
}

interface AwsClient {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: never) => Promise<unknown>) => (args: never) => Promise<unknown>,
      options: { step: "initialize"; name: string },
    ): void;
    remove(name: string): boolean;
  };
}

export type VirtualTime = ReturnType<typeof virtualTime>;

/**
 * Runs real workers in virtual time: calls to the table and the queues take no time, and only `sleep` does. The clock
 * advances once every started task is waiting for it.
 * @param clients every client whose calls the workers wait for
 */
export function virtualTime(clock: Clock, clients: readonly AwsClient[]) {
  const name = "virtual-time";
  let calls = 0;
  let callsEnded = Promise.withResolvers<void>();
  for (const client of clients) {
    client.middlewareStack.add(
      (next) => async (args) => {
        calls++;
        try {
          return await next(args);
        } finally {
          if (--calls === 0) {
            callsEnded.resolve();
            callsEnded = Promise.withResolvers();
          }
        }
      },
      { step: "initialize", name },
    );
  }

  const sleepers: { readonly until: Millis; readonly wake: () => void }[] = [];

  async function waitUntilQuiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await turnOfTheLoop();
      if (calls === 0) continue;
      await callsEnded.promise;
      turns = 0;
    }
  }

  return {
    now: clock.now,
    sleep(ms: Millis): Promise<void> {
      return new Promise((wake) => sleepers.push({ until: clock.now() + ms, wake }));
    },
    /** Advances the time until no task sleeps. */
    async run(): Promise<void> {
      for (;;) {
        await waitUntilQuiet();
        if (sleepers.length === 0) return;
        const next = Math.min(...sleepers.map(({ until }) => until));
        clock.advance(Math.max(0, next - clock.now()));
        const due = sleepers.filter(({ until }) => until <= next);
        for (const sleeper of due) sleepers.splice(sleepers.indexOf(sleeper), 1);
        for (const { wake } of due) wake();
      }
    },
    close(): void {
      for (const client of clients) client.middlewareStack.remove(name);
    },
  };
}
