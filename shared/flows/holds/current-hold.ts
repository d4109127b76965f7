import { type HoldState, holdStateAt } from "../../domain/holds/holds.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import type { CheckPorts } from "./ports.ts";

/** A hold, and where it stands for everyone from now on. */
export interface HoldView {
  readonly hold: Hold;
  readonly state: HoldState;
}

/** Where a hold stands now. An end that came by time is made sure of first. Null when it is gone. */
export async function currentHold(ports: Pick<CheckPorts, "holds">, hold: Hold, now: Millis): Promise<HoldView | null> {
  const state = holdStateAt(hold, now);
  if (state.status === hold.state.status) return { hold, state };
  const current = await ports.holds.expire(hold, now);
  return current && { hold: current, state: holdStateAt(current, now) };
}

export type HoldEndedRefusal = Refusal<"hold_sending" | "hold_sent" | "hold_failed" | "hold_ran_out">;

/** Why nothing can be done with a hold any more; null while it waits for its check. */
export function endedReason({ status }: HoldState): HoldEndedRefusal | null {
  switch (status) {
    case "awaiting_verification":
      return null;
    case "sending":
      return refuse("hold_sending", status);
    case "sent":
      return refuse("hold_sent", status);
    case "failed":
      return refuse("hold_failed", status);
    case "expired":
      return refuse("hold_ran_out", status);
  }
}
