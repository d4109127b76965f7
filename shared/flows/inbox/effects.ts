import type { QueueMessage } from "../../aws/queues.ts";
import { mergeTally, newTally, type Tally } from "../stats/count.ts";

/** What a batch of updates leaves to be done for all of it together, before its source is done with. */
export interface Effects {
  /** Also of messages that were already there: the run before may have died before announcing. */
  readonly events: QueueMessage[];
  /** People to be looked up, by the conversation's id: each once, however much they wrote. */
  readonly profileRequests: Map<string, QueueMessage>;
  /** Messages that were not there before; those that our API sent are counted as they are announced. */
  readonly tally: Tally;
}

export function newEffects(): Effects {
  return { events: [], profileRequests: new Map(), tally: newTally() };
}

/** Adds what another piece of the batch leaves to be done. */
export function mergeEffects(effects: Effects, other: Effects): void {
  effects.events.push(...other.events);
  mergeTally(effects.tally, other.tally);
  for (const [conversation, request] of other.profileRequests) effects.profileRequests.set(conversation, request);
}
