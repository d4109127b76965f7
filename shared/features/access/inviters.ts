import { actorUserId } from "./rules/callers.ts";
import type { Users } from "./store/users.ts";

export interface InviterPorts {
  readonly users: Pick<Users, "emails">;
}

/**
 * Reads who invited: nothing where no person did.
 * @returns the address of the person whom an `invitedBy` names; null for the operator, for none and for an unknown person
 */
export async function readInviters(
  { users }: InviterPorts,
  invited: readonly { readonly invitedBy: string | null }[],
): Promise<(invitedBy: string | null) => string | null> {
  const userIds = invited.flatMap(({ invitedBy }) => actorUserId(invitedBy) ?? []);
  const emails = userIds.length > 0 ? await users.emails(userIds) : new Map<string, string>();
  return (invitedBy) => emails.get(actorUserId(invitedBy) ?? "") ?? null;
}
