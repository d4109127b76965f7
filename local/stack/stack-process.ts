import { PRIVATE_UMASK } from "#local-aws/access/private-files.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { printError, printLine } from "#loopback/terminal.ts";
import { banner } from "./banner.ts";
import { type Stack, type StackSettings, startStack } from "./stack.ts";

/** The process exits after this time even if a part has not stopped. */
const STOP_MAX_MS = 4_500;

/**
 * Runs a stack until the process gets SIGINT or SIGTERM, and then exits with code 0, even while the stack starts.
 * Prints each step of the start with the seconds since the process started, and the banner when the stack is ready. Exits
 * with code 1 and one line on stderr if the stack cannot start.
 * @param options `commands` is the program whose commands the banner shows; default: that of the repository
 */
export async function runStackProcess(
  readSettings: () => StackSettings,
  { commands }: { readonly commands?: string } = {},
): Promise<void> {
  process.umask(PRIVATE_UMASK);
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
  const progress = (step: string): void =>
    printLine(`${(performance.now() / 1_000).toFixed(1).padStart(5)} s  ${step}`);
  try {
    starting = startStack({ ...readSettings(), signal: stopping.signal, progress, ownsProcess: true });
    const { local, dataDir } = await starting;
    printLine(banner(local, { dataDir, cwd: process.cwd(), startedIn: performance.now(), commands }));
  } catch (error) {
    // After a signal the failure is expected, and stop() exits the process.
    if (stopping.signal.aborted) return;
    if (error instanceof LocalRefusal) printError(error.message);
    else printError("The local stack could not start:", error);
    process.exit(1);
  }
}
