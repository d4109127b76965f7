import { adminStates } from "./admin-states.ts";
import { frameStates } from "./frame-states.ts";
import { listStates } from "./list-states.ts";
import { overviewStates } from "./overview-states.ts";
import { threadStates } from "./thread-states.ts";
import type { Visit } from "./visit.ts";

/** A state of the console: the steps to it, and what shows that it is reached. */
export interface PictureState {
  readonly name: string;
  readonly steps: readonly ((visit: Visit) => Promise<unknown>)[];
  readonly shown: string;
}

export const states: readonly PictureState[] = [
  ...listStates,
  ...threadStates,
  ...frameStates,
  ...overviewStates,
  ...adminStates,
];
