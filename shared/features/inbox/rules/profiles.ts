import { PICTURE_TTL, PICTURE_URL_CHARS_MAX, PROFILE_MAX_AGE } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { ConversationHead, ProfileState } from "./messages.ts";

/** A picture on the platform's servers. Its URL is returned unchanged, and not after it has expired. */
export interface Picture {
  readonly url: string;
  readonly expiresAt: Millis;
}

/**
 * The result of a profile lookup. `handle` is the user name, or the full name on a platform without user names.
 * `unavailable`: the platform does not show this person to the account. Stored names stay unchanged.
 */
export type Profile =
  | {
      readonly state: Extract<ProfileState, "complete" | "partial">;
      readonly handle: string | null;
      readonly username: string | null;
      /** The display name. */
      readonly name: string | null;
      readonly picture: Picture | null;
    }
  | { readonly state: Extract<ProfileState, "unavailable"> };

/** A profile without any name is `partial`. */
export function buildProfile(
  fetched: { readonly name: string | null; readonly username: string | null; readonly pictureUrl: string | null },
  fetchedAt: Millis,
): Profile {
  const { name, username, pictureUrl } = fetched;
  const handle = username ?? name;
  const picture = pictureUrl === null ? null : toPicture(pictureUrl, fetchedAt);
  return { state: handle === null ? "partial" : "complete", handle, username, name, picture };
}

/**
 * Whether the platform refused a lookup because the person had not written to the account yet. It may show the person
 * now.
 */
export function isRefusalOutdated(
  state: ProfileState,
  fetchedAt: Millis | null,
  lastInboundAt: Millis | null,
): boolean {
  return state === "unavailable" && fetchedAt !== null && lastInboundAt !== null && fetchedAt < lastInboundAt;
}

/** Whether a profile is the first that is known of a person who has written. */
export function isFirstProfile(
  head: Pick<ConversationHead, "participantProfile" | "participantHandle" | "lastInboundAt">,
  profile: Profile,
): boolean {
  const { participantProfile: state, participantHandle: handle, lastInboundAt } = head;
  const wasUnknown = state === "pending" || (state === "unavailable" && handle === null);
  return wasUnknown && profile.state !== "unavailable" && lastInboundAt !== null;
}

/** Whether a person who writes at `now` must be looked up. A profile that was never fetched is always due. */
export function isProfileDue(state: ProfileState, fetchedAt: Millis | null, now: Millis): boolean {
  return state === "pending" || fetchedAt === null || now - fetchedAt >= PROFILE_MAX_AGE;
}

/** Encodes spaces, and reads the expiry from the URL. @returns null when the URL is not a web address or is too long to store */
export function toPicture(address: string, fetchedAt: Millis): Picture | null {
  const url = address.replaceAll(" ", "%20");
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
