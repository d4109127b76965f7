import { until } from "./poll.ts";
import type { Program } from "./processes.ts";

/** A running `admin listen --json` and its endpoint. */
export interface Listening {
  readonly program: Program;
  readonly id: string;
  readonly secret: string;
  /** The lines about deliveries so far. */
  lines(): Record<string, unknown>[];
}

/** Waits until it forwards. Throws with its complaints when it does not, or not to `forwardTo`. */
export async function untilListening(program: Program, forwardTo: string): Promise<Listening> {
  const printed = (): Record<string, unknown>[] =>
    program
      .output()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  let over = false;
  void program.ended.then(() => {
    over = true;
  });
  const first = await until("listen is ready", () => {
    if (over) throw new Error(`listen ended: ${program.errors()}`);
    return printed()[0];
  });
  const { endpoint, signing_secret, forward_to } = first as Record<string, string>;
  if (!endpoint || !signing_secret || forward_to !== forwardTo) throw new Error(`listen said ${program.output()}`);
  return { program, id: endpoint, secret: signing_secret, lines: () => printed().slice(1) };
}
