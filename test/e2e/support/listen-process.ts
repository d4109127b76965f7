import type { Program } from "./processes.ts";
import { waitFor } from "./wait-for.ts";

/** A running `admin listen --json` and its endpoint. */
export interface ListenProcess {
  readonly program: Program;
  readonly id: string;
  readonly secret: string;
  /** The lines about deliveries so far, parsed. */
  lines(): Record<string, unknown>[];
}

/** Waits until it forwards. Throws with its errors if it exits, or if it forwards to another URL than `forwardTo`. */
export async function waitUntilListening(program: Program, forwardTo: string): Promise<ListenProcess> {
  const outputLines = (): Record<string, unknown>[] =>
    program
      .output()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  let exited = false;
  void program.exitCode.then(() => {
    exited = true;
  });
  const ready = await waitFor("listen is ready", () => {
    if (exited) throw new Error(`listen ended: ${program.errors()}`);
    return outputLines()[0];
  });
  const { endpoint, signing_secret, forward_to } = ready as Record<string, string>;
  if (!endpoint || !signing_secret || forward_to !== forwardTo)
    throw new Error(`unexpected output of listen: ${program.output()}`);
  return { program, id: endpoint, secret: signing_secret, lines: () => outputLines().slice(1) };
}
