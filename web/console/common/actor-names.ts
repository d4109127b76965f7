import { printableText } from "../../../packages/client/src/printable.ts";
import { texts } from "../ui/texts.ts";

interface Member {
  readonly user_id: string;
  readonly name: string | null;
  readonly email: string;
}

/**
 * The name of who sent a message, by its `actor_id`: "You" for oneself, null for a program. Whom the team does not list has
 * left it; as long as the team is not known, everyone else is a colleague.
 * @param members the team; undefined while it is not known
 * @param ownActorId as messages name this person
 */
export function actorName(
  actorId: string | null,
  members: readonly Member[] | undefined,
  ownActorId: string,
): string | null {
  if (actorId === ownActorId) return texts.you;
  if (!actorId?.startsWith("console:")) return null;
  if (members === undefined) return texts.colleague;
  const member = members.find(({ user_id }) => `console:${user_id}` === actorId);
  return member ? printableText(member.name ?? member.email) : texts.formerColleague;
}
