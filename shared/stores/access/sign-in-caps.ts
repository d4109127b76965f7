import { signInWindow } from "../../domain/access/sign-in-window.ts";
import { SIGN_IN_CAPS } from "../../domain/limits.ts";
import { newOp } from "../../kernel/ids.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { signInCapAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { anyOf, isAbsent, setContains, sizeBelow } from "../expressions.ts";
import { signInCapKey, timeToLive } from "../keys.ts";
import { update } from "../writes.ts";

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
