import { expect, test } from "vitest";
import type { CallResult, Hold } from "../../web/check/calls.ts";
import * as words from "../../web/check/notices.ts";
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

function readNotice(step: Step): words.Notice {
  if (step.kind !== "halt") throw new Error(`not a halt but ${step.kind}`);
  return step.notice;
}

test.each([
  ["human_agent_unavailable", "", "The time in which Messenger lets you answer this person is over."],
  ["window_closed", "", "The time in which Messenger lets you answer this person is over."],
  ["rate_limited", "", "As many messages have been sent as may be for now. Wait a while before the next one."],
  ["account_not_found", "", "The account it should go out from is no longer connected."],
  ["send_failed", "", "Messenger did not take the message."],
  ["send_failed", "Too long", "Messenger did not take it: “Too long”"],
  ["send_failed", "needs_reauth", "The account it should go out from must be connected to Messenger anew."],
  ["send_failed", "restricted", "Messenger has restricted the account it should go out from."],
  [
    "human_agent_unavailable",
    "until 2026-11-21T15:12:34.402Z",
    "Messenger does not let this account write to anyone after so long a time.",
  ],
  ["internal_error", "", "The service made a mistake before the message went out."],
  ["something_new", "", "The message could not be sent. The place where you wrote it shows why."],
])("a send that failed with %s (%s) is told with its reason, as not sent", (code, detail, reason) => {
  const notice = readNotice(afterComplete(okAnswer({ status: "failed", error: { code, detail } }), hold));
  expect(notice).toMatchObject({ mark: "failed", title: "Not sent" });
  expect(notice.body[0]).toBe(reason);
  expect(notice.buttonLabel).toBeUndefined();
});

test("a refusal of the send itself is told by its code", () => {
  const notice = readNotice(afterComplete(refusedAnswer(409, "account_not_found", ""), hold));
  expect(notice.body[0]).toBe("The account it should go out from is no longer connected.");
});

test("after the solutions went out, a fault and whatever is not of the service leave it open what became of them", () => {
  const open = { kind: "halt", notice: words.outcomeUnknown };
  const proxys = [403, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => refusedAnswer(status, "", ""));
  const serverErrors = [500, 502, 503].map((status) => refusedAnswer(status, "internal_error", ""));
  const misread = refusedAnswer(502, "send_failed", "no");
  for (const answer of [...proxys, ...serverErrors, misread]) {
    expect(afterComplete(answer, hold)).toEqual(open);
    expect(afterFetch(answer, hold)).toEqual(open);
  }
});

test("before anything went out, a proxy's answer says nothing of the message, and may be tried again", () => {
  for (const status of [409, 500, 502, 503]) {
    expect(afterFetch(refusedAnswer(status, "", ""), null)).toEqual({ kind: "halt", notice: words.internalError });
    expect(afterRefusal(refusedAnswer(status, "", "") as never, null)).toEqual({
      kind: "halt",
      notice: words.internalError,
    });
  }
});

test("a test that went well is told as one, and nobody is said to have got anything", () => {
  const notice = readNotice(afterComplete(okAnswer({ status: "sent" }), { ...hold, test: true }));
  expect(notice).toMatchObject({ mark: "sent", title: "Test passed" });
  expect(notice.body.join(" ")).not.toMatch(/has been sent/);
});

test("an unknown outcome is never told as not sent", () => {
  const error = { code: "send_failed", detail: "outcome_unknown" };
  const notice = readNotice(afterComplete(okAnswer({ status: "failed", error }), hold));
  expect(notice.title).toBe("Perhaps not sent");
  expect(notice.body.join(" ")).not.toMatch(/nothing/i);
});

test("a failure of which only the fact is known is not told as not sent", () => {
  const gone = refusedAnswer(409, "hold_expired", "failed");
  for (const step of [afterFetch(gone, null), afterFetch(gone, hold), afterComplete(gone, hold)]) {
    expect(readNotice(step)).toMatchObject({ mark: "unclear", title: "Perhaps not sent" });
  }
});

test("wherever the message may have gone out, no notice says that nothing was sent", () => {
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
  expect(afterFetch({ kind: "unreachable" }, hold)).toEqual({ kind: "halt", notice: words.outcomeUnknown });
});

test("the platform took it: told as news to who sent it, as past to who comes later", () => {
  const gone = refusedAnswer(409, "hold_expired", "sent");
  expect(readNotice(afterComplete(okAnswer({ status: "sent" }), hold)).body[0]).toContain("has been sent on Messenger");
  expect(readNotice(afterFetch(gone, hold)).title).toBe("Sent");
  expect(readNotice(afterFetch(gone, null)).title).toBe("Already sent");
  expect(afterComplete(refusedAnswer(409, "hold_expired", "sending"), hold)).toEqual({ kind: "watch", hold: null });
});
