import { HOUR, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemDoesNotExist } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put } from "#base/table/writes.ts";
import { loginStateAttributes as A } from "./attributes.ts";
import { loginStateKey } from "./items.ts";

/** Longer than a state is valid, for clocks that differ. */
const RETENTION: Millis = HOUR;

export type LoginStates = ReturnType<typeof loginStateStore>;

/** The states of platforms' logins that were used. */
export function loginStateStore(table: Table) {
  return {
    /**
     * Uses a state: of several calls, one does.
     * @param use `op`: unique
     * @returns false when it was used before
     */
    async use(stateId: string, { op, now }: { readonly op: string; readonly now: Millis }): Promise<boolean> {
      const item = { ...loginStateKey(stateId), [A.op]: op, [A.ttl]: timeToLive(now + RETENTION) };
      return (await conditionalWrite(table, put(item, itemDoesNotExist), { ownMark: { [A.op]: op } })).applied;
    },
  };
}
