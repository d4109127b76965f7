import { absentOr, allOf, below, type Expression, isUnchanged } from "#base/table/expressions.ts";
import type { Reaction } from "../rules/messages.ts";
import { reactionAttributes as A } from "./attributes.ts";

// A message has at most one reaction of each side, in an attribute per side. Its value sorts by time, so that one
// condition keeps the newest: the time in 15 digits, then reaction and emoji as JSON. A removal is the time alone. At the
// same instant a reaction sorts after a removal.

export const reactionAttributes = [A.participantReaction, A.accountReaction] as const;

/** The attributes of an item that can have reactions. */
export interface ReactionFields {
  readonly [A.participantReaction]?: string;
  readonly [A.accountReaction]?: string;
}

const attributeBySide = { participant: A.participantReaction, account: A.accountReaction } as const;

/** The attribute that stores this reaction. */
export function toReactionField(reaction: Reaction): Record<string, string> {
  return { [attributeBySide[reaction.by]]: toStamp(reaction) };
}

/** The stored reaction of this side is older, or absent. */
export function isNewestReaction(reaction: Reaction): Expression {
  return absentOr(below, attributeBySide[reaction.by], toStamp(reaction));
}

/** The item has exactly these reactions. */
export function hasReactions(reactions: readonly Reaction[]): Expression {
  const stampOf = (side: Reaction["by"]) => {
    const reaction = reactions.find(({ by }) => by === side);
    return reaction && toStamp(reaction);
  };
  return allOf(
    isUnchanged(A.participantReaction, stampOf("participant")),
    isUnchanged(A.accountReaction, stampOf("account")),
  );
}

/** The newest reaction of each side, or its removal. */
export function readReactions(item: ReactionFields): Reaction[] {
  return (["participant", "account"] as const).flatMap((by) => {
    const stamp = item[attributeBySide[by]];
    return stamp === undefined ? [] : [fromStamp(by, stamp)];
  });
}

const TIME_CHARS = 15;

function toStamp({ at, content }: Reaction): string {
  const time = String(at).padStart(TIME_CHARS, "0");
  return content ? `${time}${JSON.stringify([content.reaction, content.emoji])}` : time;
}

function fromStamp(by: Reaction["by"], stamp: string): Reaction {
  const at = Number(stamp.slice(0, TIME_CHARS));
  if (stamp.length === TIME_CHARS) return { by, at, content: null };
  const [reaction, emoji] = JSON.parse(stamp.slice(TIME_CHARS)) as [string | null, string | null];
  return { by, at, content: { reaction, emoji } };
}
