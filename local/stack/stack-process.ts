import { LocalRefusal } from "../support/settings-error.ts";
import { banner } from "./banner.ts";
import { type Stack, type StackSettings, startStack } from "./stack.ts";

/** Stopping takes no longer than this: what has not ended by then ends with the process. */
const STOP_MAX_MS = 4_500;

/**
 * Runs a stack as a process of its own: greets once it answers, and ends with code 0 at SIGINT or SIGTERM, also while
 * it starts. What it cannot start with is said in one line, with code 1.
 */
export async function runStackProcess(readSettings: () => StackSettings): Promise<void> {
  const stopping = new AbortController();
  let starting: Promise<Stack> | undefined;
  const stop = (): void => {
    if (stopping.signal.aborted) return;
    stopping.abort(new LocalRefusal("Stopped while starting."));
    setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
    const closed = starting?.then((stack) => stack.close());
    const exit = (): never => process.exit(0);
    closed?.then(exit, exit);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    starting = startStack({ ...readSettings(), signal: stopping.signal });
    const stack = await starting;
    console.log(banner(stack.local, stack.dataDir));
  } catch (error) {
    // After a signal the failure is its consequence, and stop() ends the process.
    if (stopping.signal.aborted) return;
    console.error(error instanceof LocalRefusal ? error.message : error);
    process.exit(1);
  }
}
