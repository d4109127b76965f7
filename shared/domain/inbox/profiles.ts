import { type Millis, SECOND } from "../../kernel/time.ts";
import { PICTURE_TTL, PICTURE_URL_CHARS_MAX, PROFILE_MAX_AGE } from "../limits.ts";
import type { ProfileState } from "./conversations.ts";

/** A picture on the platform's own servers. It is handed on as it is, and not at all once it has ended. */
export interface Picture {
  readonly url: string;
  readonly expiresAt: Millis;
}

/**
 * What a fetch found out about a person. `handle` is what to call them: the user name, where the platform has none
 * their full name. A person whom the platform keeps to itself stays what they were known as before.
 */
export type Profile =
  | {
      readonly state: Extract<ProfileState, "complete" | "partial">;
      readonly handle: string | null;
      readonly username: string | null;
      readonly picture: Picture | null;
    }
  | { readonly state: Extract<ProfileState, "unavailable"> };

/** What the platform told. Without a name of either kind the profile is partial, whatever else there is. */
export function buildProfile(
  fetched: { readonly name: string | null; readonly username: string | null; readonly pictureUrl: string | null },
  fetchedAt: Millis,
): Profile {
  const { name, username, pictureUrl } = fetched;
  const handle = username ?? name;
  const picture = pictureUrl === null ? null : toPicture(pictureUrl, fetchedAt);
  return { state: handle === null ? "partial" : "complete", handle, username, picture };
}

/** Whether a person who writes at `now` is to be looked up. What was never found out always is. */
export function isProfileDue(state: ProfileState, fetchedAt: Millis | null, now: Millis): boolean {
  return state === "pending" || fetchedAt === null || now - fetchedAt >= PROFILE_MAX_AGE;
}

/** The picture with its end; null for what is no web address, or too long a one to keep. */
export function toPicture(url: string, fetchedAt: Millis): Picture | null {
  if (url.length > PICTURE_URL_CHARS_MAX || !/^[!-~]+$/.test(url) || !URL.canParse(url)) return null;
  const { protocol, searchParams } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return null;
  const end =
    parseSeconds(searchParams.get("oe"), /^[\da-f]{8}$/i, 16) ?? parseSeconds(searchParams.get("ext"), /^\d{10}$/, 10);
  return { url, expiresAt: end === null ? fetchedAt + PICTURE_TTL : end * SECOND };
}

function parseSeconds(text: string | null, pattern: RegExp, radix: number): number | null {
  return text !== null && pattern.test(text) ? Number.parseInt(text, radix) : null;
}
