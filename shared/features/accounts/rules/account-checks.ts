import { sha256 } from "#base/kernel/bytes.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "./accounts.ts";

/**
 * The first instant after `after` at the account's time of day. Its key's hash chooses that, which spreads the checks.
 * @param interval how often an account is checked. Default: once a day
 */
export function checkTimeAfter(ref: AccountRef, after: Millis, interval: Millis = DAY): Millis {
  const offset = sha256(accountKey(ref)).readUIntBE(0, 6) % interval;
  const inSame = after - (after % interval) + offset;
  return inSame > after ? inSame : inSame + interval;
}

/** How far the checks of accounts that are due together are spread: the longest delay of a queue message. */
const DELAY_MAX: Millis = 15 * MINUTE;
/** The part of a restriction's wait by which its check is later than its end. */
const RESTRICTION_SPREAD = 0.1;

/**
 * When an account that was checked is checked again. Due checks are looked for once an hour, and each waits up to 15 minutes
 * after that: a check every hour is due by the time of the next look, however long this one waited.
 */
export function nextCheckTime(ref: AccountRef, checkedAt: Millis, interval: Millis = DAY): Millis {
  return checkTimeAfter(ref, interval > HOUR ? checkedAt : checkedAt - DELAY_MAX, interval);
}

/** How long the message of a due check waits in its queue, in whole seconds. */
export function checkDelay(ref: AccountRef): Millis {
  return Math.floor((spread(ref, "delay") * DELAY_MAX) / SECOND) * SECOND;
}

/** When a check asks whether a restriction is over: after its end, later by up to a tenth of the rest of the wait. */
export function restrictionCheckTime(ref: AccountRef, retryAt: Millis, now: Millis): Millis {
  return retryAt + Math.floor(spread(ref, "restriction") * RESTRICTION_SPREAD * Math.max(0, retryAt - now));
}

/** A number in [0, 1) that a hash of the account's key determines. */
function spread(ref: AccountRef, purpose: string): number {
  return sha256(`${purpose}\n${accountKey(ref)}`).readUIntBE(0, 6) / 2 ** 48;
}
