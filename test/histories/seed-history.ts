import fc from "fast-check";
import { accountHistories } from "./steps/account-history.ts";
import { histories } from "./steps/histories.ts";
import type { History } from "./steps/step.ts";
import { streamHistories } from "./steps/stream-history.ts";

/**
 * `service`: no tenant has a socket. `stream`: clients of the realtime stream are connected. `accounts`: two tenants
 * connect the same accounts by turns.
 */
export const historyKinds = ["service", "stream", "accounts"] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** The most parts of a history: short ones find as much in the same time, and are easier to read. */
const PARTS_MAX = { service: 16, stream: 12, accounts: 12 } as const;

const arbitraries = { service: histories, stream: streamHistories, accounts: accountHistories } as const;

/** The history that follows from a seed. */
export function seedHistory(seed: number, kind: HistoryKind = "service"): History {
  const [history] = fc.sample(arbitraries[kind](PARTS_MAX[kind]), { seed, numRuns: 1 });
  if (!history) throw new Error("A seed has one history.");
  return history;
}
