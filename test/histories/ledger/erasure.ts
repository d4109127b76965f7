import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { erasureAttributes } from "#features/erasure/store/attributes.ts";
import { erasureKey } from "#features/erasure/store/items.ts";
import type { HeldMessage, SendRequest, WrittenMessage } from "../deeds.ts";
import { conversationOf, findPerson } from "../world/people.ts";
import { type Evidence, SLACK, type StoredItem, wordsIn } from "./evidence.ts";

/** After an erasure nothing of before is stored. */
export function judgeErasures(evidence: Evidence): string[] {
  return evidence.erasures.flatMap(({ acceptedAt, person, at }) =>
    acceptedAt === null ? [] : storedTexts(evidence, textsBefore(evidence, person, at), () => true),
  );
}

/** Once an erasure has ended, nothing of before it stays: what a process wrote at the same time is removed within an hour. */
export function judgeEndedErasures(evidence: Evidence): string[] {
  // What a dead letter left undone waits for the operator.
  if (evidence.buried.length > 0) return [];
  return [...new Set(evidence.erasures.map(({ person }) => person))].flatMap((person) => {
    const marker = evidence.items.find(isErasureOf(person));
    const erasedAt = marker?.[erasureAttributes.erasedAt];
    // A row without an instant refused the start of a process that had died: nothing was erased.
    if (erasedAt === undefined || marker?.[erasureAttributes.phase] !== undefined) return [];
    const texts = textsBefore(evidence, person, Number(erasedAt));
    return storedTexts(evidence, texts, (item) => evidence.writtenAt(item) < evidence.now - HOUR);
  });
}

/** Nothing of before an erasure leaves, or is in the inbox. */
export function judgeErasedTexts(evidence: Evidence): string[] {
  return evidence.erasures.flatMap(({ acceptedAt, person, at }) => {
    if (acceptedAt === null) return [];
    const texts = new Set(textsBefore(evidence, person, at));
    const { tenant } = findPerson(person).account;
    return [
      ...evidence.posts.flatMap((post) =>
        post.at > acceptedAt + MINUTE && wordsIn(post, () => post.body).some((word) => texts.has(word))
          ? [`${wordsIn(post).join(" ")} was posted ${post.at - acceptedAt} ms after the erasure`]
          : [],
      ),
      ...evidence.reads.flatMap((read) => {
        const word = [...texts].find((text) => read.conversations.includes(text));
        return word && read.tenant === tenant && read.askedAt > acceptedAt + 2 * SECOND
          ? [`${word} is in the inbox ${read.askedAt - acceptedAt} ms after the erasure`]
          : [];
      }),
    ];
  });
}

/** The texts of a conversation from before an erasure. */
export function textsBefore(evidence: Evidence, person: string, erasedAt: Millis): string[] {
  const { messages, sends, holds } = evidence;
  return [
    ...messages.filter((message) => message.person === person && isBefore(evidence, message, erasedAt)),
    // A request that is repeated after the erasure brings its text back.
    ...sends.filter((send) => send.person === person && lastUse(sends, holds, send) < erasedAt - SLACK),
  ].map(({ text }) => text);
}

function storedTexts({ items }: Evidence, texts: readonly string[], counts: (item: StoredItem) => boolean): string[] {
  if (texts.length === 0) return [];
  return items.flatMap((item) => {
    // The operator's copies of messages that failed stay for 7 days.
    if (item.PK.startsWith("QUAR#") || !counts(item)) return [];
    const text = wordsIn(item).find((word) => texts.includes(word));
    return text ? [`${text} is stored after the erasure: ${JSON.stringify(item).slice(0, 300)}`] : [];
  });
}

function isErasureOf(person: string): (item: StoredItem) => boolean {
  const key = erasureKey(deriveErasureId(conversationOf(person)));
  return ({ PK, SK }) => PK === key.PK && SK === key.SK;
}

/**
 * Whether a message was written before an erasure, and not edited in the seconds in which the clocks may disagree. An
 * edit whose message was erased more than the life of its mark ago is a new text of the person, as a message would be:
 * no erasure since then has found the message, so none has renewed its mark. An edit from before the erasure is before it.
 */
function isBefore(evidence: Evidence, message: WrittenMessage, erasedAt: Millis): boolean {
  const { at, editedAt } = message;
  if (at >= erasedAt - SLACK) return false;
  if (editedAt.length === 0) return true;
  const markEndsAt = removedAt(evidence, message) + ERASURE_MARKER_TTL;
  const newTextAt = Math.max(markEndsAt, erasedAt);
  return editedAt.every((editAt) => Math.abs(editAt - erasedAt) > SLACK && editAt < newTextAt - SLACK);
}

/** When the first erasure after a message started: it removed the message, or stored its mark when the message came. */
function removedAt({ changes }: Evidence, { person, at }: WrittenMessage): Millis {
  const isErasure = isErasureOf(person);
  const starts = changes.flatMap(({ after }) =>
    after && isErasure(after) ? [Number(after[erasureAttributes.erasedAt])] : [],
  );
  return Math.min(...starts.filter((start) => start >= at));
}

/** When the last request with the text of this one ended, or the check that sent it began. */
function lastUse(sends: readonly SendRequest[], holds: readonly HeldMessage[], { text }: SendRequest): Millis {
  const answers = sends.filter((send) => send.text === text).map(({ answeredAt }) => answeredAt ?? Infinity);
  const checks = holds.filter((hold) => hold.text === text).map(({ checkedAt }) => checkedAt ?? 0);
  return Math.max(...answers, ...checks);
}
