import { expect, it } from "vitest";
import type { Message } from "../../../../web/console/data/types.ts";
import { threadItems } from "../../../../web/console/inbox/thread/items.ts";

const NOON = new Date(2026, 10, 20, 12).getTime();
const MINUTE = 60_000;

function message(id: string, at: number, more: Partial<Message> = {}): Message {
  return {
    id,
    sent_at: new Date(at).toISOString(),
    direction: "inbound",
    sent_via: "participant",
    actor_id: null,
    ...more,
  } as Message;
}
const outline = (messages: readonly Message[], seen: number | null = null, cameAt: number | null = null) =>
  threadItems(messages, seen === null ? null : { seenUntil: seen, cameAt }).map((item) =>
    item.kind === "message" ? `${item.key}${item.isFirst ? " first" : ""}${item.isLast ? " last" : ""}` : item.kind,
  );

it("messages of one author within five minutes are one group", () => {
  const out = { direction: "outbound", sent_via: "api_in_window" } as const;
  const messages = [
    message("a", NOON),
    message("b", NOON + MINUTE),
    message("c", NOON + 7 * MINUTE),
    message("d", NOON + 8 * MINUTE, { ...out, actor_id: "console:usr_1" }),
    message("e", NOON + 9 * MINUTE, { ...out, actor_id: "console:usr_2" }),
  ];
  expect(outline(messages)).toEqual([
    "start",
    "day",
    "a first",
    "b last",
    "c first last",
    "d first last",
    "e first last",
    "outgoing",
  ]);
});

it("each day has its heading", () => {
  expect(outline([message("a", NOON), message("b", NOON + 24 * 60 * MINUTE)])).toEqual([
    "start",
    "day",
    "a first last",
    "day",
    "b first last",
    "outgoing",
  ]);
});

it("the line stands before the first message of the person that was not seen, and only there", () => {
  const messages = [message("a", NOON), message("b", NOON + MINUTE), message("c", NOON + 2 * MINUTE)];
  expect(outline(messages, NOON)).toEqual(["start", "day", "a first", "new", "b", "c last", "outgoing"]);
  expect(outline(messages, NOON + 2 * MINUTE)).not.toContain("new");
  expect(outline(messages, null)).not.toContain("new");
  expect(outline(messages, NOON - MINUTE)).not.toContain("new");
});

it("no line stands before a message that arrives while the person looks", () => {
  const messages = [message("a", NOON), message("b", NOON + MINUTE), message("c", NOON + 2 * MINUTE)];
  expect(outline(messages, NOON, NOON)).not.toContain("new");
  expect(outline(messages, NOON, NOON + MINUTE)).toEqual(outline(messages, NOON));
});
