import { deriveErasureId } from "../../../shared/domain/erasure/erasures.ts";
import { ERASURE_MARKER_TTL } from "../../../shared/domain/limits.ts";
import { MINUTE, type Millis } from "../../../shared/kernel/time.ts";
import { erasureAttributes } from "../../../shared/stores/attributes.ts";
import { erasureKey } from "../../../shared/stores/keys.ts";
import type { HeldMessage, SendRequest, WrittenMessage } from "../actors.ts";
import { type Evidence, SLACK } from "./evidence.ts";

/** After an erasure nothing of before is stored, and nothing of it leaves. */
export function judgeErasures(evidence: Evidence): string[] {
  const { erasures, messages, sends, holds, items, posts } = evidence;
  const stored = items.map((item) => JSON.stringify(item, (_name, part) => (part instanceof Set ? [...part] : part)));
  return erasures.flatMap((erasure) => {
    const { acceptedAt, person, at } = erasure;
    if (acceptedAt === null) return [];
    const texts = [
      ...messages.filter((message) => message.person === person && isBefore(evidence, message, at)),
      // A request that is repeated after the erasure brings its text back.
      ...sends.filter((send) => send.person === person && lastUse(sends, holds, send) < at - SLACK),
    ].map(({ text }) => text);
    return texts.flatMap((text) => {
      const item = stored.find((each) => each.includes(text));
      const late = posts.find((post) => post.at > acceptedAt + MINUTE && post.body.includes(text));
      return [
        ...(item ? [`${text} is stored after the erasure: ${item.slice(0, 300)}`] : []),
        ...(late ? [`${text} was posted ${late.at - acceptedAt} ms after the erasure`] : []),
      ];
    });
  });
}

/**
 * Whether a message was written before an erasure, and not edited in the seconds in which the clocks may disagree. An
 * edit whose message was erased more than the life of its mark ago is a new text of the person, as a message would be:
 * no erasure since then has found the message, so none has renewed its mark.
 */
function isBefore(evidence: Evidence, message: WrittenMessage, erasedAt: Millis): boolean {
  const { at, lastEditAt } = message;
  if (at >= erasedAt - SLACK) return false;
  if (lastEditAt === null) return true;
  const markEndsAt = removedAt(evidence, message) + ERASURE_MARKER_TTL;
  return Math.abs(lastEditAt - erasedAt) > SLACK && lastEditAt < markEndsAt - SLACK;
}

/** When the first erasure after a message started: it removed the message, or stored its mark when the message came. */
function removedAt({ changes, conversation }: Evidence, { person, at }: WrittenMessage): Millis {
  const { PK, SK } = erasureKey(deriveErasureId(conversation(person)));
  const starts = changes.flatMap(({ after }) =>
    after?.PK === PK && after.SK === SK ? [Number(after[erasureAttributes.erasedAt])] : [],
  );
  return Math.min(...starts.filter((start) => start >= at));
}

/** When the last request with the text of this one ended, or the check that sent it began. */
function lastUse(sends: readonly SendRequest[], holds: readonly HeldMessage[], { text }: SendRequest): Millis {
  const answers = sends.filter((send) => send.text === text).map(({ answeredAt }) => answeredAt ?? Infinity);
  const checks = holds.filter((hold) => hold.text === text).map(({ checkedAt }) => checkedAt ?? 0);
  return Math.max(...answers, ...checks);
}
