import type { Evidence } from "./evidence.ts";
import { isUnfinished } from "./settle.ts";

const MINUTE = 60_000;

/** After an erasure nothing of before is stored or listed, and none of it is sent later than a minute after. */
export function checkErasures({ ledger, items, listed }: Evidence): string[] {
  const stored = items.map((item) => JSON.stringify(item, (_name, part) => (part instanceof Set ? [...part] : part)));
  return ledger.erasures.flatMap(({ person, requestedAt, doneAt }) => {
    const written = ledger.written.filter((message) => message.person === person && message.writtenAt < requestedAt);
    const sends = ledger.sends.filter((send) => send.person === person && send.requestedAt < requestedAt);
    return [...written, ...sends].flatMap(({ text }) => {
      const item = stored.find((each) => each.includes(text));
      const late = ledger.posts.find((post) => post.receivedAt > doneAt + MINUTE && post.body.includes(text));
      return [
        ...(item ? [`${text} is stored after its erasure: ${item}`] : []),
        ...(listed.some((message) => message.text === text) ? [`${text} is listed after its erasure`] : []),
        ...(late ? [`${text} was delivered ${late.receivedAt - doneAt} ms after its erasure`] : []),
      ];
    });
  });
}

/** Nothing waits, nothing was abandoned, and no daily check had to help. */
export function checkUnfinished({ items, log }: Evidence): string[] {
  return [
    ...items.filter(isUnfinished).map((item) => `this waits for ever: ${JSON.stringify(item)}`),
    ...items
      .filter(({ PK, st }) => PK.startsWith("D#") && st === "dlq")
      .map(({ PK, SK }) => `${PK} ${SK} was abandoned`),
    ...items.filter(({ PK }) => PK.startsWith("QUAR#")).map((item) => `in quarantine: ${JSON.stringify(item)}`),
    ...(log.includes('"event":"deliveries.rescheduled"')
      ? ["the daily check found deliveries that nothing attempted"]
      : []),
  ];
}
