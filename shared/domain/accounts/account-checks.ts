import { sha256 } from "../../kernel/bytes.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import { type AccountRef, accountKey } from "./accounts.ts";

/** The first instant after `after` at the account's time of day. Its key's hash chooses that, which spreads the checks. */
export function checkTimeAfter(ref: AccountRef, after: Millis): Millis {
  const timeOfDay = sha256(accountKey(ref)).readUIntBE(0, 6) % DAY;
  const sameDay = after - (after % DAY) + timeOfDay;
  return sameDay > after ? sameDay : sameDay + DAY;
}
