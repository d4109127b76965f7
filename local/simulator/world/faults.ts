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

/** Where a fault strikes: sends of messages only, or every Graph call with a token. */
export const faultTargets = ["sends", "calls"] as const;
export type FaultTarget = (typeof faultTargets)[number];

/** What a fault says, as far as its mode leaves it open. */
export interface FaultDetail {
  /** Of `error`: the code and subcode that the platform answers. */
  code?: number | undefined;
  subcode?: number | undefined;
  /** Of `error`: the HTTP status, 400 by default. */
  status?: number | undefined;
  /** Of `rate_limited`: the minutes until access comes back, 1 by default. */
  minutes?: number | undefined;
}

export interface Fault extends FaultDetail {
  mode: FaultMode;
}

const noFault: Fault = { mode: "none" };

/** The one fault in force. */
export class Faults {
  #fault: Fault = noFault;
  #target: FaultTarget = "sends";
  #remaining = Number.POSITIVE_INFINITY;

  set(fault: Fault, target: FaultTarget, times: number | undefined): void {
    this.#fault = fault;
    this.#target = target;
    this.#remaining = times ?? Number.POSITIVE_INFINITY;
  }

  /** The fault for one call; each use of it counts. */
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
