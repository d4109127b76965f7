import type { Outgoing } from "../../aws/queues.ts";
import { mergeTally, newTally, type Tally } from "../stats/count.ts";

/** What a batch of updates leaves to be done for all of it together, before its source is done with. */
export interface Effects {
  /** Also of messages that were already there: the run before may have died before announcing. */
  readonly announcements: Outgoing[];
  /** People to be looked up, by the conversation's id: each once, however much they wrote. */
  readonly profiles: Map<string, Outgoing>;
  /** Messages that were not there before; those that our API sent are counted as they are announced. */
  readonly stored: Tally;
}

export function noEffects(): Effects {
  return { announcements: [], profiles: new Map(), stored: newTally() };
}

/** Adds what another piece of the batch leaves to be done. */
export function merge(effects: Effects, more: Effects): void {
  effects.announcements.push(...more.announcements);
  mergeTally(effects.stored, more.stored);
  for (const [conversation, request] of more.profiles) effects.profiles.set(conversation, request);
}
