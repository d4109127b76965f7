import { listAllMessages } from "../../e2e/support/api-calls.ts";
import type { ListedMessage } from "../../e2e/support/api-response.ts";
import { readTable, type StoredItem } from "../../e2e/support/dump-table.ts";
import type { KilledStack } from "./killed-stack.ts";
import type { Ledger } from "./ledger.ts";

/** What the checks compare: the records outside the stack, and its data when nothing more happens. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly endpointIds: readonly string[];
  readonly items: readonly StoredItem[];
  /** All messages of `GET /v1/messages`. */
  readonly listed: readonly ListedMessage[];
  readonly log: string;
}

export async function gatherEvidence(
  stack: KilledStack,
  ledger: Ledger,
  endpointIds: readonly string[],
): Promise<Evidence> {
  const running = stack.running();
  return {
    ledger,
    endpointIds,
    items: await readTable(running),
    listed: await listAllMessages(running),
    log: stack.log(),
  };
}

export function groupBy<T>(all: readonly T[], name: (each: T) => string | null): Map<string, T[]> {
  const groups = Map.groupBy(all, name);
  const named = new Map<string, T[]>();
  for (const [key, members] of groups) if (key !== null) named.set(key, members);
  return named;
}
