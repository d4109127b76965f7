export const faultModes = [
  "none",
  "echo_first",
  "hang",
  "reset_after_accept",
  "5xx",
  "token_revoked",
  "expired",
  "rate_limited",
  "restricted",
  "no_echo",
] as const;
export type FaultMode = (typeof faultModes)[number];

/** Where a fault strikes: sends of messages only, or every Graph call with a token. */
export const faultTargets = ["sends", "calls"] as const;
export type FaultTarget = (typeof faultTargets)[number];

/** The one fault in force. */
export class Faults {
  #mode: FaultMode = "none";
  #target: FaultTarget = "sends";
  #left = Number.POSITIVE_INFINITY;

  set(mode: FaultMode, target: FaultTarget, times: number | undefined): void {
    this.#mode = mode;
    this.#target = target;
    this.#left = times ?? Number.POSITIVE_INFINITY;
  }

  /** The fault for one call; each use of it counts. */
  take(kind: "send" | "other"): FaultMode {
    if (this.#mode === "none" || (kind === "other" && this.#target === "sends")) return "none";
    const mode = this.#mode;
    this.#left -= 1;
    if (this.#left <= 0) this.set("none", "sends", undefined);
    return mode;
  }

  view(): { mode: FaultMode; on: FaultTarget; left: number | null } {
    return { mode: this.#mode, on: this.#target, left: Number.isFinite(this.#left) ? this.#left : null };
  }
}
