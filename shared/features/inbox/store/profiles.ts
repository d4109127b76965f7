import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below, isPresent } from "#base/table/expressions.ts";
import { update } from "#base/table/writes.ts";
import type { Profile } from "../rules/profiles.ts";
import { headAttributes as A } from "./attributes.ts";
import { headKey } from "./items.ts";

export type Profiles = ReturnType<typeof profileStore>;

/** The profiles of people. Each is stored on the head of its conversation and is removed with it. */
export function profileStore(table: Table) {
  return {
    /**
     * Stores the result of a fetch, unless the conversation is gone, was erased after the fetch started, or has the
     * result of a newer fetch. Safe to repeat and to call in any order.
     * @param fetchedAt when the fetch started
     */
    async save(conversationId: string, profile: Profile, fetchedAt: Millis): Promise<void> {
      const isCurrent = allOf(
        isPresent(A.lastAt),
        absentOr(below, A.profileFetchedAt, fetchedAt),
        absentOr(below, A.erasedAt, fetchedAt),
      );
      const set = { [A.profileState]: profile.state, [A.profileFetchedAt]: fetchedAt, ...profileFields(profile) };
      await conditionalWrite(table, update(headKey(conversationId), { set }, isCurrent));
    },
  };
}

/**
 * A person whose profile is unavailable stays known by the names stored before. Otherwise the whole profile is
 * replaced, so that what the person removed is removed here too.
 */
function profileFields(profile: Profile): Record<string, unknown> {
  if (profile.state === "unavailable") return {};
  const { handle, username, name, picture } = profile;
  return {
    // A handle that equals the user name is stored once.
    [A.handle]: handle === username ? undefined : (handle ?? undefined),
    [A.username]: username ?? undefined,
    [A.name]: username === null && name === handle ? undefined : (name ?? undefined),
    [A.picture]: picture?.url,
    [A.pictureEndsAt]: picture?.expiresAt ?? undefined,
  };
}
