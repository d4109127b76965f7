import { FIRST_EVENT_WAIT, PROFILE_MAX_AGE } from "#base/kernel/limits.ts";
import { type Picture, toPicture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ConversationHead, Message, Participant, ProfileState } from "./messages.ts";

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
  const picture = toPicture(pictureUrl, fetchedAt);
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
  return isUnknownPerson(state, handle) && profile.state !== "unavailable" && lastInboundAt !== null;
}

/** The names of a profile as messages carry them. Null where the platform does not show the person. */
export function profileNames(profile: Profile): Omit<Participant, "id"> | null {
  if (profile.state === "unavailable") return null;
  const { handle, username, name } = profile;
  return { handle, username, name };
}

/** The names of a stored profile, as `profileNames` has them. */
export function storedNames(
  head: Pick<ConversationHead, "participantProfile" | "participantHandle" | "participantUsername" | "participantName">,
): Omit<Participant, "id"> | null {
  const { participantHandle: handle, participantUsername: username, participantName: name } = head;
  return isUnknownPerson(head.participantProfile, handle) ? null : { handle, username, name };
}

function isUnknownPerson(state: ProfileState, handle: string | null): boolean {
  return state === "pending" || (state === "unavailable" && handle === null);
}

/**
 * Whether a message's event waits for the profile. The first message of a person without a name waits. While the
 * profile is pending, a message within two seconds of the one before it waits too, so that the events stay in order.
 * @param before the conversation before the message
 */
export function isNameAwaited(
  before: { readonly profile: ProfileState; readonly handle: string | null; readonly lastInboundAt: Millis | null },
  sentAt: Millis,
): boolean {
  const { profile, handle, lastInboundAt } = before;
  if (lastInboundAt === null) return isUnknownPerson(profile, handle);
  return profile === "pending" && Math.abs(sentAt - lastInboundAt) < FIRST_EVENT_WAIT;
}

/**
 * Whether the event of a person's first message was published without their name.
 * @param messages the oldest ones of the conversation. Where none of the person is among them, the first one has no
 * name
 */
export function isFirstEventUnnamed(messages: readonly Message[]): boolean {
  const first = messages.find(({ direction }) => direction === "inbound");
  if (!first) return true;
  return first.nameWait ? first.nameWait !== "named" : first.participant.handle === null;
}

/** Whether a person who writes at `now` must be looked up. A profile that was never fetched is always due. */
export function isProfileDue(state: ProfileState, fetchedAt: Millis | null, now: Millis): boolean {
  return state === "pending" || fetchedAt === null || now - fetchedAt >= PROFILE_MAX_AGE;
}
