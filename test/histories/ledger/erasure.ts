import { MINUTE, type Millis } from "../../../shared/kernel/time.ts";
import type { HeldMessage, SendRequest, WrittenMessage } from "../actors.ts";
import { type Evidence, SLACK } from "./evidence.ts";

/** After an erasure nothing of before is stored, and nothing of it leaves. */
export function judgeErasures({ erasures, messages, sends, holds, items, posts }: Evidence): string[] {
  const stored = items.map((item) => JSON.stringify(item, (_name, part) => (part instanceof Set ? [...part] : part)));
  return erasures.flatMap((erasure) => {
    const { acceptedAt, person, at } = erasure;
    if (acceptedAt === null) return [];
    const texts = [
      ...messages.filter((message) => message.person === person && isBefore(message, at)),
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

/** Whether a message was written before an erasure, and not edited in the seconds in which the clocks may disagree. */
function isBefore({ at, lastEditAt }: WrittenMessage, erasedAt: Millis): boolean {
  return at < erasedAt - SLACK && (lastEditAt === null || Math.abs(lastEditAt - erasedAt) > SLACK);
}

/** When the last request with the text of this one ended, or the check that sent it began. */
function lastUse(sends: readonly SendRequest[], holds: readonly HeldMessage[], { text }: SendRequest): Millis {
  const answers = sends.filter((send) => send.text === text).map(({ answeredAt }) => answeredAt ?? Infinity);
  const checks = holds.filter((hold) => hold.text === text).map(({ checkedAt }) => checkedAt ?? 0);
  return Math.max(...answers, ...checks);
}
