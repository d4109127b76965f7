import { sweepDue } from "../shared/flows/sweep-due.ts";
import { clockNow } from "../shared/kernel/time.ts";
import { sweepPorts } from "./wiring/sweep.ts";

const ports = sweepPorts();

/** Each minute: what has become due goes to the deliveries queue. */
export async function handler(): Promise<void> {
  await sweepDue(ports, clockNow());
}
