import { newOp } from "#base/kernel/ids.ts";
import { SIGN_IN_CAPS } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { anyOf, isAbsent, setContains, sizeBelow } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { signInWindow } from "../rules/sign-in-window.ts";
import { signInCapAttributes as A } from "./attributes.ts";
import { signInCapKey } from "./items.ts";

export type SignInCaps = ReturnType<typeof signInCapStore>;

/** Counts the sign-in links of an email address and of a source network, in fixed windows. */
export function signInCapStore(table: Table) {
  return {
    /**
     * Counts one link, unless the cap is reached. The count is a set of ids, so a write that the SDK repeats counts once.
     * @param subjectHash a keyed hash of the address or network
     * @returns the seconds until the next window when the cap is reached, else null
     */
    async consume(kind: "address" | "source", subjectHash: string, now: Millis): Promise<number | null> {
      const { start, end } = signInWindow(now);
      const op = newOp(now);
      const { applied } = await conditionalWrite(
        table,
        update(
          signInCapKey(kind, subjectHash, start),
          { add: { [A.ops]: new Set([op]) }, set: { [A.ttl]: timeToLive(end) } },
          anyOf(isAbsent(A.ops), sizeBelow(A.ops, SIGN_IN_CAPS[kind]), setContains(A.ops, op)),
        ),
      );
      return applied ? null : Math.ceil((end - now) / SECOND);
    },
  };
}
