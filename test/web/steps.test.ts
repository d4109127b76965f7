import { expect, test } from "vitest";
import type { CallResult, Hold } from "../../web/check/calls.ts";
import * as notices from "../../web/check/notices.ts";
import { afterComplete, afterFetch, afterRefusal, type Step } from "../../web/check/steps.ts";

const hold: Hold = {
  status: "awaiting_verification",
  expiresAt: 0,
  platform: "messenger",
  displayName: "Mara",
  text: "Hello",
  attachments: 0,
  test: false,
  error: null,
};
const okAnswer = (change: Partial<Hold>): CallResult<Hold> => ({
  kind: "ok",
  data: { ...hold, ...change },
  serverTime: null,
});
const refusedAnswer = (
  status: number,
  code: string,
  detail: string,
  retryAfter: number | null = null,
): CallResult<Hold> => ({
  kind: "refused",
  status,
  problem: { code, detail },
  retryAfter,
});

function readNotice(step: Step): notices.Notice {
  if (step.kind !== "halt") throw new Error(`Expected a halt, got ${step.kind}.`);
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
  ["send_failed", "Too long", "Messenger did not accept the message: “Too long”", writeAgain],
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
  "shows a send that failed with %s (%s) as not sent, with the reason and the next step",
  (code, detail, reason, nextStep) => {
    const notice = readNotice(afterComplete(okAnswer({ status: "failed", error: { code, detail } }), hold));
    expect(notice).toMatchObject({ mark: "failed", title: "Not sent" });
    expect(notice.body).toEqual([reason, nextStep]);
    expect(notice.buttonLabel).toBeUndefined();
  },
);

test("shows a refusal of the send by its code", () => {
  const notice = readNotice(afterComplete(refusedAnswer(409, "account_not_found", ""), hold));
  expect(notice.body[0]).toBe("The account for this message is no longer connected.");
});

test("leaves the outcome open when a server error or a proxy answers after the solutions were submitted", () => {
  const open = { kind: "halt", notice: notices.outcomeUnknown };
  const proxyAnswers = [403, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => refusedAnswer(status, "", ""));
  const serverErrors = [500, 502, 503].map((status) => refusedAnswer(status, "internal_error", ""));
  const unexpectedAnswer = refusedAnswer(502, "send_failed", "no");
  for (const answer of [...proxyAnswers, ...serverErrors, unexpectedAnswer]) {
    expect(afterComplete(answer, hold)).toEqual(open);
    expect(afterFetch(answer, hold)).toEqual(open);
  }
});

test("offers a retry when a proxy answers before the solutions were submitted", () => {
  for (const status of [409, 500, 502, 503]) {
    expect(afterFetch(refusedAnswer(status, "", ""), null)).toEqual({ kind: "halt", notice: notices.internalError });
    expect(afterRefusal(refusedAnswer(status, "", "") as never, null)).toEqual({
      kind: "halt",
      notice: notices.internalError,
    });
  }
});

test("shows a passed test as a test and does not claim that a message was sent", () => {
  const notice = readNotice(afterComplete(okAnswer({ status: "sent" }), { ...hold, test: true }));
  expect(notice).toMatchObject({ mark: "sent", title: "Test passed" });
  expect(notice.body.join(" ")).not.toMatch(/(been|was) sent/);
});

test("never shows an unknown outcome as not sent", () => {
  const error = { code: "send_failed", detail: "outcome_unknown" };
  const notice = readNotice(afterComplete(okAnswer({ status: "failed", error }), hold));
  expect(notice.title).toBe("Not confirmed");
  expect(notice.body.join(" ")).not.toMatch(/nothing/i);
});

test("does not show a failure without a known reason as not sent", () => {
  const gone = refusedAnswer(409, "hold_expired", "failed");
  for (const step of [afterFetch(gone, null), afterFetch(gone, hold), afterComplete(gone, hold)]) {
    expect(readNotice(step)).toMatchObject({ mark: "unclear", title: "Not confirmed" });
  }
});

test("never says that nothing was sent when the message may have been sent", () => {
  const answers: readonly CallResult<Hold>[] = [
    { kind: "unreachable" },
    refusedAnswer(500, "internal_error", ""),
    refusedAnswer(404, "hold_not_found", ""),
    refusedAnswer(429, "rate_limited", "", 9),
    refusedAnswer(409, "hold_expired", "failed"),
  ];
  for (const answer of answers) {
    const step = afterComplete(answer, hold);
    if (step.kind === "halt") expect(step.notice.body.join(" ")).not.toMatch(/nothing/i);
    else expect(step).toEqual({ kind: "wait", seconds: 9 });
  }
  expect(afterFetch({ kind: "unreachable" }, hold)).toEqual({ kind: "halt", notice: notices.outcomeUnknown });
});

test("says Sent to the person who sent the message and Already sent to later visitors", () => {
  const gone = refusedAnswer(409, "hold_expired", "sent");
  expect(readNotice(afterComplete(okAnswer({ status: "sent" }), hold)).body[0]).toContain("was sent on Messenger");
  expect(readNotice(afterFetch(gone, hold)).title).toBe("Sent");
  expect(readNotice(afterFetch(gone, null)).title).toBe("Already sent");
  expect(afterComplete(refusedAnswer(409, "hold_expired", "sending"), hold)).toEqual({ kind: "poll", hold: null });
});
