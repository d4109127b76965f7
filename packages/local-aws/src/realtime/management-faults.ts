import type { Millis } from "../support/time.ts";

/** Faults of the management API. */
export interface ManagementFaultSettings {
  /** `dead`: no answer, and nothing happens. `slow`: the answer comes after `delay`. `throttled`: 429. */
  readonly mode: "none" | "dead" | "slow" | "throttled";
  /** In real time. A slow request does its work first, so that its caller may have stopped waiting. */
  readonly delay?: Millis;
  /** The share of requests, 0 to 1. Default: all. */
  readonly share?: number;
  /** Returns a number in [0, 1). Default: Math.random. */
  readonly random?: () => number;
}

/** The fault injection of the management API. Off by default. */
export class ManagementFaults {
  #settings: ManagementFaultSettings = { mode: "none" };

  configure(settings: ManagementFaultSettings): void {
    this.#settings = settings;
  }

  /** The fault of the next request. */
  draw(): Pick<ManagementFaultSettings, "mode" | "delay"> {
    const { mode, delay, share = 1, random = Math.random } = this.#settings;
    return mode !== "none" && random() < share ? { mode, ...(delay === undefined ? {} : { delay }) } : { mode: "none" };
  }
}
