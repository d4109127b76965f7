import { expect, test } from "vitest";
import { checkPage } from "#base/languages/en.ts";
import type { CallResult, Hold, HoldState, Refused } from "../../web/check-page/calls.ts";
import { secondsRemaining } from "../../web/check-page/durations.ts";
import { type Notice, noticesIn } from "../../web/check-page/notices.ts";
import { type Step, stepsWith } from "../../web/check-page/steps.ts";

const notices = noticesIn(checkPage);
const { afterComplete, afterFetch, afterRefusal } = stepsWith(notices);

const hold: Hold = {
  status: "awaiting_verification",
  expiresAt: 0,
  platform: "messenger",
  displayName: "Mara",
  username: "",
  accountHandle: "",
  author: "",
  text: "Hello",
  attachments: [],
  test: false,
  error: null,
};
const okAnswer = (change: Partial<Hold>): CallResult<Hold> => ({
  kind: "ok",
  data: { ...hold, ...change },
  serverTime: null,
});
const refusedAnswer = (status: number, code: string, detail: string, retryAfter: number | null = null): Refused => ({
  kind: "refused",
  status,
  problem: { code, detail },
  retryAfter,
  hold: null,
});
/** The refusal of a hold that has ended, as the service gives it. */
const endedAnswer = (change: Partial<HoldState>): Refused => {
  const ended = { status: "failed", platform: "messenger", test: false, error: null, ...change };
  return { ...refusedAnswer(409, "hold_expired", ended.status), hold: ended };
};

function readNotice(step: Step): Notice {
  if (step.kind !== "halt" && step.kind !== "end") throw new Error(`Expected a notice, got ${step.kind}.`);
  return step.notice;
}

const waitForPerson = "You can write again when this person sends a new message.";
const writeAgain = "To send the message, go back to your app and write it again.";

test.each([
  ["human_agent_unavailable", "", "Messenger’s time limit for messages to this person has passed.", waitForPerson],
  ["window_closed", "", "Messenger’s time limit for messages to this person has passed.", waitForPerson],
  [
    "rate_limited",
    "",
    "The limit for sending messages has been reached.",
    "Wait a while, then write the message again.",
  ],
  [
    "account_not_found",
    "",
    "The account for this message is no longer connected.",
    "Connect the account, then write the message again.",
  ],
  ["send_failed", "", "Messenger did not accept the message.", writeAgain],
  ["send_failed", "Too long", "Messenger did not accept the message.", writeAgain],
  [
    "send_failed",
    "needs_reauth",
    "The account for this message must be reconnected to Messenger.",
    "Reconnect the account, then write the message again.",
  ],
  [
    "send_failed",
    "restricted",
    "Messenger has restricted the account for this message.",
    "Resolve the restriction with Messenger, then write the message again.",
  ],
  ["internal_error", "", "An error occurred in the service before the message was sent.", writeAgain],
  ["something_new", "", "The message could not be sent. Your app shows the reason.", writeAgain],
])(
  "the page shows a send that failed with %s (%s) as not sent, with the reason and the next step",
  (code, detail, reason, nextStep) => {
    const error = { code, detail };
    for (const step of [
      afterComplete(okAnswer({ status: "failed", error }), hold),
      afterFetch(endedAnswer({ error }), null),
      afterRefusal(endedAnswer({ error }), hold),
    ]) {
      const notice = readNotice(step);
      expect(step.kind).toBe("end");
      expect(notice).toMatchObject({ mark: "failed", title: "Not sent" });
      expect(notice.body).toEqual([reason, nextStep]);
      expect(notice.quote).toEqual(detail === "Too long" ? { source: "Messenger", text: "Too long" } : undefined);
      expect(notice.buttonLabel).toBeUndefined();
    }
  },
);

test("the page shows a refusal of the send by its code", () => {
  const notice = readNotice(afterComplete(refusedAnswer(409, "account_not_found", ""), hold));
  expect(notice.body[0]).toBe("The account for this message is no longer connected.");
});

test("the page leaves the outcome open when a server error or a proxy answers after the solutions were submitted", () => {
  const open = { kind: "halt", notice: notices.outcomeUnknown };
  const proxyAnswers = [403, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => refusedAnswer(status, "", ""));
  const serverErrors = [500, 502, 503].map((status) => refusedAnswer(status, "internal_error", ""));
  const unexpectedAnswer = refusedAnswer(502, "send_failed", "no");
  for (const answer of [...proxyAnswers, ...serverErrors, unexpectedAnswer]) {
    expect(afterComplete(answer, hold)).toEqual(open);
    expect(afterFetch(answer, hold)).toEqual(open);
  }
});

test("the page offers a retry when a proxy answers before the solutions were submitted", () => {
  for (const status of [404, 409, 500, 502, 503]) {
    expect(afterFetch(refusedAnswer(status, "", ""), null)).toEqual({ kind: "halt", notice: notices.internalError });
    expect(afterRefusal(refusedAnswer(status, "", ""), null)).toEqual({
      kind: "halt",
      notice: notices.internalError,
    });
  }
});

test("the page shows a passed test as a test and does not claim that a message was sent", () => {
  const notice = readNotice(afterComplete(okAnswer({ status: "sent" }), { ...hold, test: true }));
  expect(notice).toMatchObject({ mark: "sent", title: "Test passed" });
  expect(notice.body.join(" ")).not.toMatch(/(been|was) sent/);
});

test("the page never shows an unknown outcome as not sent", () => {
  const error = { code: "send_failed", detail: "outcome_unknown" };
  const notice = readNotice(afterComplete(okAnswer({ status: "failed", error }), hold));
  expect(notice.title).toBe("Not confirmed");
  expect(notice.body.join(" ")).not.toMatch(/nothing/i);
});

test("the page does not show a failure without a known reason as not sent", () => {
  const gone = refusedAnswer(409, "hold_expired", "failed");
  for (const step of [afterFetch(gone, null), afterFetch(gone, hold), afterComplete(gone, hold)]) {
    expect(readNotice(step)).toMatchObject({ mark: "unclear", title: "Not confirmed" });
  }
});

test("the page never says that nothing was sent when the message may have been sent", () => {
  const answers: readonly CallResult<Hold>[] = [
    { kind: "unreachable" },
    refusedAnswer(500, "internal_error", ""),
    refusedAnswer(404, "hold_not_found", ""),
    refusedAnswer(429, "rate_limited", "", 9),
    refusedAnswer(409, "hold_expired", "failed"),
  ];
  for (const answer of answers) {
    const step = afterComplete(answer, hold);
    if (step.kind === "halt" || step.kind === "end") expect(step.notice.body.join(" ")).not.toMatch(/nothing/i);
    else expect(step).toEqual({ kind: "wait", seconds: 9 });
  }
  expect(afterFetch({ kind: "unreachable" }, hold)).toEqual({ kind: "halt", notice: notices.outcomeUnknown });
});

test("the page says Sent to the person who sent the message and Already sent to later visitors", () => {
  const gone = refusedAnswer(409, "hold_expired", "sent");
  expect(readNotice(afterComplete(okAnswer({ status: "sent" }), hold)).body[0]).toContain("was sent on Messenger");
  expect(readNotice(afterFetch(gone, hold)).title).toBe("Sent");
  expect(readNotice(afterFetch(gone, null)).title).toBe("Already sent");
  expect(afterComplete(refusedAnswer(409, "hold_expired", "sending"), hold)).toEqual({ kind: "poll", hold: null });
});

test("the page ends only what cannot go on, so that a reload goes on with anything else", () => {
  const kinds = (answers: readonly CallResult<Hold>[]) => answers.map((answer) => afterFetch(answer, null).kind);
  const ends = [
    ...["sent", "failed", "expired"].map((status) => endedAnswer({ status })),
    refusedAnswer(404, "hold_not_found", ""),
  ];
  expect(new Set(kinds(ends))).toEqual(new Set(["end"]));
  const others = [
    okAnswer({}),
    endedAnswer({ status: "sending" }),
    refusedAnswer(429, "rate_limited", ""),
    refusedAnswer(400, "invalid_request", ""),
    endedAnswer({ status: "new_status" }),
  ];
  expect(kinds(others)).toEqual(["confirm", "poll", "wait", "halt", "halt"]);
});

test("the page shows the end of a test as that of a test, also later", () => {
  expect(readNotice(afterFetch(endedAnswer({ status: "sent", test: true }), null)).title).toBe("Test passed");
});

test.each([
  [4_999, 20, 50, null],
  [60_000, 0, 50, null],
  [5_000, 25, 50, 5],
  [5_000, 10, 50, 20],
  [7_000, 15, 50, 20],
  [9_000, 45, 50, 1],
  [30_000, 8, 50, 180],
  [9_000, 50, 50, null],
])("after %i ms and %i of %i puzzles, %s seconds remain", (elapsed, done, count, remaining) => {
  expect(secondsRemaining(elapsed, done, count)).toBe(remaining);
});
