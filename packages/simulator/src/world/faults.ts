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
  "bom",
  "html",
  "error_in_200",
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

/**
 * The target of a fault: message sends, every Graph call with a token, the calls of a login (exchanges, `/me`,
 * `/me/accounts`), or the calls that keep an account connected (`/me`, subscriptions, `debug_token`, refreshes, threads).
 */
export const faultTargets = ["sends", "calls", "logins", "accounts"] as const;
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
  /** The target it was set for; absent without a fault. */
  on?: FaultTarget;
}

const noFault: Fault = { mode: "none" };

/** The active fault. There is at most one. */
export class Faults {
  #fault: Fault = noFault;
  #target: FaultTarget = "sends";
  #remaining = Number.POSITIVE_INFINITY;
  #skips = 0;

  /** Sets the fault of the next `times` calls of the target, after `skip` of them that it does not alter. */
  set(
    fault: Fault,
    target: FaultTarget,
    { times, skip = 0 }: { times?: number | undefined; skip?: number } = {},
  ): void {
    this.#fault = { ...fault, on: target };
    this.#target = target;
    this.#remaining = times ?? Number.POSITIVE_INFINITY;
    this.#skips = skip;
  }

  /** Returns the fault for one call, which belongs to these targets, and counts its use. */
  consume(targets: readonly FaultTarget[]): Fault {
    if (this.#fault.mode === "none" || !targets.includes(this.#target)) return noFault;
    if (this.#skips > 0) {
      this.#skips -= 1;
      return noFault;
    }
    const fault = this.#fault;
    this.#remaining -= 1;
    if (this.#remaining <= 0) this.set(noFault, "sends");
    return fault;
  }

  snapshot(): Fault & { on: FaultTarget; left: number | null; skip: number } {
    const left = Number.isFinite(this.#remaining) ? this.#remaining : null;
    return { ...this.#fault, on: this.#target, left, skip: this.#skips };
  }
}
