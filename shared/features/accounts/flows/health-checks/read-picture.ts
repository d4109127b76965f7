import { type Picture, toPicture } from "#base/kernel/text/pictures.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import type { AccountCheck } from "../../store/account-checks.ts";
import type { Visit } from "./visit.ts";

/** A check runs once a day, and one of them may get no answer. */
const RENEWED_BEFORE_END: Millis = 2 * DAY;

/**
 * Reads the account's profile picture when none is stored, or when its address ends soon. The account works without it: a
 * refusal changes nothing, and the next check asks again.
 * @returns undefined when it was not read
 */
export async function readDuePicture(
  { platform, token, checked, now }: Visit,
  check: Pick<AccountCheck, "picture"> | null,
): Promise<Picture | null | undefined> {
  if (!check || (check.picture && check.picture.expiresAt > now + RENEWED_BEFORE_END)) return undefined;
  const answer = await platform.readPicture(checked.account, token);
  if (answer.kind !== "read") return undefined;
  const picture = toPicture(answer.url, now);
  // The row of an account without a picture is not written again.
  return picture === null && check.picture === null ? undefined : picture;
}
