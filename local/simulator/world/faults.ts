export const faultModes = [
  "none",
  "echo_first",
  "no_echo",
  "hang",
  "hang_after_accept",
  "reset_before_accept",
  "reset_after_accept",
  "malformed_json",
  "huge_body",
  "5xx",
  "transient",
  "token_revoked",
  "expired",
  "app_removed",
  "checkpoint",
  "unconfirmed",
  "token_invalid",
  "permission",
  "link_broken",
  "rate_limited",
  "restricted",
  "outside_window",
  "person_unavailable",
  "unknown_person",
  "thread_owner",
  "tag_abuse",
  "no_human_agent",
  "media_share_only",
  "fetch_failed",
  "error",
] as const;
export type FaultMode = (typeof faultModes)[number];

/** The target of a fault: only message sends, or every Graph call with a token. */
export const faultTargets = ["sends", "calls"] as const;
export type FaultTarget = (typeof faultTargets)[number];

/** The parameters of a fault that its mode does not fix. */
export interface FaultDetail {
  /** For `error`: the code and subcode in the response. */
  code?: number | undefined;
  subcode?: number | undefined;
  /** For `error`: the HTTP status, 400 by default. */
  status?: number | undefined;
  /** For `rate_limited`: the minutes until access returns, 1 by default. */
  minutes?: number | undefined;
}

export interface Fault extends FaultDetail {
  mode: FaultMode;
}

const noFault: Fault = { mode: "none" };

/** The active fault. There is at most one. */
export class Faults {
  #fault: Fault = noFault;
  #target: FaultTarget = "sends";
  #remaining = Number.POSITIVE_INFINITY;

  set(fault: Fault, target: FaultTarget, times: number | undefined): void {
    this.#fault = fault;
    this.#target = target;
    this.#remaining = times ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the fault for one call and counts its use. */
  consume(kind: "send" | "other"): Fault {
    if (this.#fault.mode === "none" || (kind === "other" && this.#target === "sends")) return noFault;
    const fault = this.#fault;
    this.#remaining -= 1;
    if (this.#remaining <= 0) this.set(noFault, "sends", undefined);
    return fault;
  }

  snapshot(): Fault & { on: FaultTarget; left: number | null } {
    return { ...this.#fault, on: this.#target, left: Number.isFinite(this.#remaining) ? this.#remaining : null };
  }
}
