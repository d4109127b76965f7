import { HOUR, type Millis } from "../../kernel/time.ts";
import { loginStateAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { itemDoesNotExist } from "../expressions.ts";
import { timeToLive } from "../keys.ts";
import { put } from "../writes.ts";
import { loginStateKey } from "./account-keys.ts";

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
