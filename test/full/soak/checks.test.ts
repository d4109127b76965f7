import { expect, it } from "vitest";
import { checkEvents, checkMessages } from "./check-messages.ts";
import { checkErasures, checkUnfinished } from "./check-rest.ts";
import { checkSendEvents, checkSends } from "./check-sends.ts";
import { checkCounters } from "./counters.ts";
import type { Evidence } from "./evidence.ts";
import { type Ledger, newLedger, type ReceivedPost } from "./ledger.ts";

// Each check of the soak reports what it is for, and nothing about a run without a violation.

const checks = [
  checkMessages,
  checkEvents,
  checkSends,
  checkSendEvents,
  checkErasures,
  checkUnfinished,
  checkCounters,
] as const;
const allViolations = (evidence: Evidence): string[] => checks.flatMap((check) => check(evidence));

const post = (part: Partial<ReceivedPost>): ReceivedPost => ({
  endpointId: "endpoint-00001",
  eventId: "evt_1",
  type: "message.received",
  messageId: "m1",
  body: "body of m1",
  receivedAt: 2_000,
  accepted: true,
  ...part,
});
const sentPost = post({ eventId: "evt_2", type: "message.sent", messageId: "m2", body: "body of hello" });
const row = { PK: "CONV#demo#p1", SK: "M#1", i: "demo#m1" };
const counters = { PK: "S#demo", SK: "hour", m: 2, d00001: 2 };

/** A person wrote m1, which was delivered, and got the reply m2. */
function goodRun(): Evidence & { ledger: Ledger } {
  const ledger = newLedger();
  ledger.written.push({ mid: "m1", person: "p1", text: "hi", writtenAt: 1_000, unsent: false });
  ledger.acknowledged.add("m1").add("m2");
  ledger.sends.push({
    person: "p1",
    text: "hello",
    kind: "reply",
    requestedAt: 1_500,
    responses: [{ status: 200, messageId: "m2", code: null, detail: null, callsDuring: 1 }],
  });
  ledger.platformCalls.push({ text: "hello", sendId: "s1" });
  ledger.left.push({ mid: "m2", text: "hello" });
  ledger.posts.push(post({}), sentPost);
  const listed = [{ id: "m1", text: "hi" }] as unknown as Evidence["listed"];
  return { ledger, endpointIds: ["endpoint-00001"], items: [row, counters], listed, log: "" };
}

const refused = { status: 409, messageId: null, code: "window_closed", detail: "", callsDuring: 0 };
const changes: Record<string, [string, (evidence: ReturnType<typeof goodRun>) => Evidence]> = {
  "a message without a row": ["has no row", (good) => ({ ...good, items: [counters] })],
  "a message with two rows": ["has 2 rows", (good) => ({ ...good, items: [row, { ...row, SK: "M#2" }, counters] })],
  "a message that is listed twice": [
    "is listed 2 times",
    (good) => ({ ...good, listed: [...good.listed, ...good.listed] }),
  ],
  "an unsent message that shows its text": ["was unsent and shows its text", unsent],
  "a message that no endpoint accepted": [
    "was not delivered",
    withLedger({ posts: [post({ accepted: false }), sentPost] }),
  ],
  "a message with two event ids": ["has the event ids", withPost(post({ eventId: "evt_3" }))],
  "an event with two bodies": ["has bodies", withPost(post({ body: "another body" }))],
  "two calls for one text": ["called 2 times for hello", withLedger({ platformCalls: calls("s1", "s2") })],
  "two calls for one send": ["called 2 times for send s1", withLedger({ platformCalls: calls("s1", "s1") })],
  "a refusal of a message that left": ["and it left", withResponse(refused)],
  "an answer for a message that did not leave": ["did not leave", withLedger({ left: [] })],
  "a fault after the call": [
    "after the platform was called",
    withResponse({ ...refused, status: 500, code: "internal_error", callsDuring: 1 }),
  ],
  "a send without an event": ["neither as sent nor as failed", withLedger({ posts: [post({})] })],
  "a text that is stored after its erasure": [
    "hi is stored after its erasure",
    (good) => ({ ...erased(good), items: [{ ...row, t: "hi" }] }),
  ],
  "a text that is listed after its erasure": ["hi is listed after its erasure", erased],
  "a text that is delivered after its erasure": [
    "was delivered 61000 ms after",
    (good) => erased(withPost(post({ body: "hi", receivedAt: 66_000 }))(good)),
  ],
  "a delivery that waits": [
    "waits for ever",
    (good) => ({ ...good, items: [...good.items, { PK: "D#demo", SK: "1", st: "retrying" }] }),
  ],
  "a delivery that was abandoned": [
    "was abandoned",
    (good) => ({ ...good, items: [...good.items, { PK: "D#demo", SK: "1", st: "dlq" }] }),
  ],
  "a record in quarantine": [
    "in quarantine",
    (good) => ({ ...good, items: [...good.items, { PK: "QUAR#1", SK: "1" }] }),
  ],
  "a delivery that the daily check found": [
    "the daily check",
    (good) => ({ ...good, log: '{"event":"deliveries.rescheduled"}' }),
  ],
  "a counter of messages above the truth": [
    "3 of 2 messages",
    (good) => ({ ...good, items: [row, { ...counters, m: 3 }] }),
  ],
  "a counter of deliveries above the truth": [
    "3 of 2 deliveries",
    (good) => ({ ...good, items: [row, { ...counters, d00001: 3 }] }),
  ],
};

function withLedger(part: Partial<Ledger>) {
  return (good: Evidence): Evidence => ({ ...good, ledger: { ...good.ledger, ...part } });
}
function withPost(added: ReceivedPost) {
  return (good: Evidence): Evidence => withLedger({ posts: [...good.ledger.posts, added] })(good);
}
function withResponse(response: typeof refused) {
  return (good: Evidence): Evidence => {
    const sends = good.ledger.sends.map((send) => ({ ...send, responses: [response] }));
    return withLedger({ sends })(good);
  };
}
function calls(...sendIds: string[]): Ledger["platformCalls"] {
  return sendIds.map((sendId) => ({ text: "hello", sendId }));
}
function unsent(good: Evidence): Evidence {
  return withLedger({ written: good.ledger.written.map((each) => ({ ...each, unsent: true })) })(good);
}
function erased(good: Evidence): Evidence {
  return withLedger({ erasures: [{ person: "p1", requestedAt: 4_000, doneAt: 5_000 }] })(good);
}

it("the checks of the soak report nothing about a run without a violation", () => {
  expect(allViolations(goodRun())).toEqual([]);
});

it("the checks of the soak report nothing about an unsent message that is listed without its text", () => {
  const good = goodRun();
  expect(allViolations(unsent({ ...good, listed: good.listed.map((each) => ({ ...each, text: "" })) }))).toEqual([]);
});

it.each(Object.entries(changes))("the checks of the soak report %s", (_name, [violation, change]) => {
  expect(allViolations(change(goodRun())).join("\n")).toContain(violation);
});
