import { HUMAN_AGENT_WINDOW, REPLY_WINDOW } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";

export type WindowState = "open_24h" | "human_agent_7d" | "closed" | "no_inbound";

export interface Window {
  readonly state: WindowState;
  /** When the current state ends. In `closed`: when the window closed. Null in `no_inbound`. */
  readonly expiresAt: Millis | null;
}

/** The messaging window at `now`. Bounds are half open: a state does not include its end. */
export function windowAt(lastInboundAt: Millis | null, now: Millis): Window {
  if (lastInboundAt === null) return { state: "no_inbound", expiresAt: null };
  const replyEnds = lastInboundAt + REPLY_WINDOW;
  if (now < replyEnds) return { state: "open_24h", expiresAt: replyEnds };
  const humanAgentEnds = lastInboundAt + HUMAN_AGENT_WINDOW;
  if (now < humanAgentEnds) return { state: "human_agent_7d", expiresAt: humanAgentEnds };
  return { state: "closed", expiresAt: humanAgentEnds };
}
