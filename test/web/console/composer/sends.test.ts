import { expect, it } from "vitest";
import {
  checkTimeLeft,
  colleagueAnswer,
  type Send,
  type SendState,
  stateAfterError,
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

it("a colleague's newest answer since the person began to write stops a send once", () => {
  const writing = { actorId: ME, since: NOW, acknowledged: null };
  const theirs = message("m1", { actor_id: "console:usr_other", ...at(1) });
  const later = message("m2", { actor_id: null, sent_via: "native_app", ...at(2) });
  expect(colleagueAnswer([theirs], writing)).toBe(theirs);
  expect(colleagueAnswer([theirs, later], writing)).toBe(later);
  expect(colleagueAnswer([theirs], { ...writing, acknowledged: "m1" })).toBeNull();
  expect(colleagueAnswer([theirs, later], { ...writing, acknowledged: "m1" })).toBe(later);
  expect(colleagueAnswer([theirs], { ...writing, since: NOW + MINUTE })).toBeNull();
  expect(colleagueAnswer([message("m1", at(1))], writing)).toBeNull();
  expect(colleagueAnswer([{ ...theirs, direction: "inbound" }], writing)).toBeNull();
  expect(colleagueAnswer([{ ...theirs, deleted_at: theirs.sent_at }], writing)).toBeNull();
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
