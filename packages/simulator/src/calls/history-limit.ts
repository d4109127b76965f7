import type { Account, Token } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import { GraphError, refuse } from "./error-messages.ts";

const burst = 4;

/**
 * The limit of reads of threads and messages: so many calls a second for each token's account, on average, and four at
 * once. It follows the real time, which a clock that is turned does not change.
 */
export class HistoryLimit {
  /** Calls per second; null for no limit. */
  perSecond: number | null = 2;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** Counts one call. Throws 613, or 80006 on Messenger, if the limit is reached. */
  count({ subject }: Token, account: Account | undefined): void {
    if (this.perSecond === null) return;
    const now = performance.now();
    const bucket = this.#buckets.get(subject) ?? { left: burst, at: now };
    const left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * this.perSecond);
    this.#buckets.set(subject, { left: left < 1 ? left : left - 1, at: now });
    if (left >= 1) return;
    const { detail } = refuse.rateLimited(subject, 1);
    if (account === undefined || isInstagram(account)) throw new GraphError(detail);
    const message = "(#80006) There have been too many calls to this Messenger account. Wait a bit and try again.";
    throw new GraphError({ ...detail, message, code: 80_006 });
  }
}
