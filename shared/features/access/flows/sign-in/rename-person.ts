import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { SessionCaller } from "../../rules/callers.ts";
import type { RenamePorts } from "./ports.ts";

/** Writes in flight at once. */
const CONCURRENCY = 4;

/**
 * Gives a person the name that colleagues read: on the user, which every later membership takes it from, and on each
 * membership. Safe to repeat: a request that died leaves memberships with the name of before, and its repetition ends them.
 */
export async function renamePerson(
  { users, memberships }: RenamePorts,
  { userId, memberships: own }: Pick<SessionCaller, "userId" | "memberships">,
  name: string,
): Promise<void> {
  if (!(await users.rename(userId, name))) throw new Error("The user of a session does not exist.");
  await forEachConcurrent(own, CONCURRENCY, ({ tenant }) => memberships.rename(tenant, userId, name));
}
