import type { Outgoing } from "../aws/queues.ts";

/** What a batch of updates leaves to be done for all of it together, before its source is done with. */
export interface Effects {
  /** Also of messages that were already there: the run before may have died before announcing. */
  readonly announcements: Outgoing[];
}

export function noEffects(): Effects {
  return { announcements: [] };
}

/** Adds what another piece of the batch leaves to be done. */
export function merge(effects: Effects, more: Effects): void {
  effects.announcements.push(...more.announcements);
}
