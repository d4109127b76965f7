import { expect, it } from "vitest";
import {
  checkTimeLeft,
  type Send,
  type SendState,
  seenOf,
  stateAfterError,
  unseenAnswer,
  unshownSends,
} from "../../../../web/console/inbox/composer/sends.ts";
import { CONVERSATION, ME, message, NOW, picture } from "./support.ts";

const MINUTE = 60_000;
const at = (minutes: number) => ({ sent_at: new Date(NOW + minutes * MINUTE).toISOString() });
const failed = (code: string, detail = ""): SendState => ({ kind: "failed", code, detail });

it.each([
  ["no answer", { code: "connection_failed", status: null, detail: "" }, { kind: "unknown" }],
  ["a timeout", { code: "timeout", status: null, detail: "" }, { kind: "unknown" }],
  ["a Wi-Fi page", { code: "unexpected_response", status: 200, detail: "<html>" }, { kind: "unknown" }],
  ["an error of Parley", { code: "internal_error", status: 500, detail: "" }, { kind: "unknown" }],
  [
    "a lost answer of the platform",
    { code: "send_failed", status: 502, detail: "outcome_unknown" },
    { kind: "unknown" },
  ],
  [
    "a refusal of the platform",
    { code: "send_failed", status: 502, detail: "Blocked." },
    failed("send_failed", "Blocked."),
  ],
  ["a closed window", { code: "window_closed", status: 409, detail: "" }, failed("window_closed")],
  ["too many requests", { code: "rate_limited", status: 429, detail: "" }, failed("rate_limited")],
  ["a call that was not made", { code: "invalid_argument", status: null, detail: "x" }, failed("invalid_argument")],
])("a send whose call ends with %s is not sent, or may have arrived", (_, error, expected) => {
  expect(stateAfterError(error)).toEqual(expected);
});

it.each([
  ["a closed window", { code: "window_closed", status: 409, detail: "" }, failed("window_closed")],
  [
    "a stored refusal of the platform",
    { code: "send_failed", status: 502, detail: "No." },
    failed("send_failed", "No."),
  ],
  ["too many requests", { code: "rate_limited", status: 429, detail: "" }, { kind: "unknown" }],
  ["the same key in use", { code: "idempotency_conflict", status: 409, detail: "" }, { kind: "unknown" }],
  ["an ended session", { code: "unauthorized", status: 401, detail: "" }, { kind: "unknown" }],
  ["no answer again", { code: "connection_failed", status: null, detail: "" }, { kind: "unknown" }],
])(
  "a send that may have arrived and is asked for again is, after %s, only then not sent when a refusal is stored",
  (_, error, expected) => {
    expect(stateAfterError(error, true)).toEqual(expected);
  },
);

function send(key: string, state: SendState, change: Partial<Send> = {}): Send {
  return {
    key,
    conversation: CONVERSATION,
    mode: "reply",
    text: "Hello",
    files: [],
    replyTo: null,
    at: NOW,
    before: new Set(),
    shownFrom: NOW,
    state,
    ...change,
  };
}
const keys = (sends: readonly Send[]) => sends.map(({ key }) => key);
const sending: SendState = { kind: "sending" };

it.each<SendState>([{ kind: "failed", code: "window_closed", detail: "" }])(
  "a send that failed stays until the person removes it, also beside a message with the same text",
  (state) => {
    expect(keys(unshownSends([send("a", state)], [message("m1")], ME))).toEqual(["a"]);
  },
);

it.each<SendState>([sending, { kind: "unknown" }, { kind: "held", holdId: "h", secret: "s", endsAt: NOW }])(
  "a send that is %o is shown by a new message of the same person with the same content",
  (state) => {
    const one = [send("a", state)];
    expect(unshownSends(one, [message("m1")], ME)).toEqual([]);
    expect(unshownSends(one, [message("m1", { actor_id: null })], ME)).toEqual([]);
    expect(keys(unshownSends(one, [message("m1", { text: "Hello!" })], ME))).toEqual(["a"]);
    expect(keys(unshownSends(one, [message("m1", { actor_id: "console:usr_other" })], ME))).toEqual(["a"]);
    expect(keys(unshownSends(one, [message("m1", { direction: "inbound" })], ME))).toEqual(["a"]);
    expect(keys(unshownSends([send("a", state, { before: new Set(["m1"]) })], [message("m1")], ME))).toEqual(["a"]);
    expect(keys(unshownSends([send("a", state, { files: [picture] })], [message("m1")], ME))).toEqual(["a"]);
  },
);

it("two sends with the same text need two messages, whichever answer comes first", () => {
  const both = [send("a", sending), send("b", sending)];
  expect(keys(unshownSends(both, [message("m1")], ME))).toEqual(["b"]);
  expect(unshownSends(both, [message("m1"), message("m2")], ME)).toEqual([]);
  const answered = [send("a", sending), send("b", { kind: "sent", messageId: "m1" })];
  expect(keys(unshownSends(answered, [message("m1")], ME))).toEqual(["a"]);
  expect(keys(unshownSends(answered, [message("m2")], ME))).toEqual(["b"]);
});

it("the newest answer of a colleague that the person had not seen stops a send, whenever it was sent", () => {
  const one = { actorId: ME, own: new Set<string>() };
  const question = message("m0", { direction: "inbound", ...at(-10) });
  const theirs = message("m1", { actor_id: "console:usr_other", ...at(-5) });
  const later = message("m2", { actor_id: null, sent_via: "native_app", ...at(2) });
  const seen = seenOf([question], NOW);
  expect(seen).toEqual({ ids: new Set(["m0"]), from: NOW - 10 * MINUTE });
  expect(unseenAnswer([question, theirs], seen, one)).toBe(theirs);
  expect(unseenAnswer([question, theirs, later], seen, one)).toBe(later);
  expect(unseenAnswer([question, theirs], seenOf([question, theirs], NOW), one)).toBeNull();
  expect(unseenAnswer([question, theirs, later], seenOf([question, theirs], NOW), one)).toBe(later);
  expect(unseenAnswer([message("m1", at(-5))], seen, one)).toBeNull();
  expect(unseenAnswer([later], seen, { ...one, own: new Set(["m2"]) })).toBeNull();
  expect(unseenAnswer([{ ...theirs, direction: "inbound" }], seen, one)).toBeNull();
  expect(unseenAnswer([{ ...theirs, deleted_at: theirs.sent_at }], seen, one)).toBeNull();
});

it("an older page of a thread, and all of one that was not loaded yet, has no new answer", () => {
  const one = { actorId: ME, own: new Set<string>() };
  const old = message("m1", { actor_id: "console:usr_other", ...at(-60) });
  const seen = seenOf([message("m2", { direction: "inbound", ...at(-10) })], NOW);
  expect(unseenAnswer([old, message("m2", { direction: "inbound", ...at(-10) })], seen, one)).toBeNull();
  expect(seenOf([], NOW)).toEqual({ ids: new Set(), from: NOW });
  expect(unseenAnswer([old], seenOf([], NOW), one)).toBeNull();
});

it.each([
  [15 * MINUTE, "15:00"],
  [872_000, "14:32"],
  [8_001, "0:09"],
  [0, "0:00"],
  [-5_000, "0:00"],
])("%i ms are left for a check as %s", (ms, text) => {
  expect(checkTimeLeft(ms)).toBe(text);
});
