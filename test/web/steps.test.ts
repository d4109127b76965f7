import { expect, test } from "vitest";
import type { Answer, Hold } from "../../web/check/calls.ts";
import { afterComplete, afterLook, afterRefusal, type Step } from "../../web/check/steps.ts";
import * as words from "../../web/check/words.ts";

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
const ok = (change: Partial<Hold>): Answer<Hold> => ({ kind: "ok", data: { ...hold, ...change }, serverTime: null });
const refused = (status: number, code: string, detail: string, retryAfter: number | null = null): Answer<Hold> => ({
  kind: "refused",
  status,
  problem: { code, detail },
  retryAfter,
});

function noticeOf(step: Step): words.Notice {
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
  const notice = noticeOf(afterComplete(ok({ status: "failed", error: { code, detail } }), hold));
  expect(notice).toMatchObject({ mark: "failed", title: "Not sent" });
  expect(notice.body[0]).toBe(reason);
  expect(notice.again).toBeUndefined();
});

test("a refusal of the send itself is told by its code", () => {
  const notice = noticeOf(afterComplete(refused(409, "account_not_found", ""), hold));
  expect(notice.body[0]).toBe("The account it should go out from is no longer connected.");
});

test("after the solutions went out, a fault and whatever is not of the service leave it open what became of them", () => {
  const open = { kind: "halt", notice: words.unreachableAfter };
  const proxys = [403, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => refused(status, "", ""));
  const ours = [500, 502, 503].map((status) => refused(status, "internal_error", ""));
  const misread = refused(502, "send_failed", "no");
  for (const answer of [...proxys, ...ours, misread]) {
    expect(afterComplete(answer, hold)).toEqual(open);
    expect(afterLook(answer, hold)).toEqual(open);
  }
});

test("before anything went out, a proxy's answer says nothing of the message, and may be tried again", () => {
  for (const status of [409, 500, 502, 503]) {
    expect(afterLook(refused(status, "", ""), null)).toEqual({ kind: "halt", notice: words.ourFault });
    expect(afterRefusal(refused(status, "", "") as never, null)).toEqual({ kind: "halt", notice: words.ourFault });
  }
});

test("a test that went well is told as one, and nobody is said to have got anything", () => {
  const notice = noticeOf(afterComplete(ok({ status: "sent" }), { ...hold, test: true }));
  expect(notice).toMatchObject({ mark: "sent", title: "Test passed" });
  expect(notice.body.join(" ")).not.toMatch(/has been sent/);
});

test("an unknown outcome is never told as not sent", () => {
  const error = { code: "send_failed", detail: "outcome_unknown" };
  const notice = noticeOf(afterComplete(ok({ status: "failed", error }), hold));
  expect(notice.title).toBe("Perhaps not sent");
  expect(notice.body.join(" ")).not.toMatch(/nothing/i);
});

test("a failure of which only the fact is known is not told as not sent", () => {
  const gone = refused(409, "hold_expired", "failed");
  for (const step of [afterLook(gone, null), afterLook(gone, hold), afterComplete(gone, hold)]) {
    expect(noticeOf(step)).toMatchObject({ mark: "unclear", title: "Perhaps not sent" });
  }
});

test("wherever the message may have gone out, no notice says that nothing was sent", () => {
  const answers: readonly Answer<Hold>[] = [
    { kind: "unreachable" },
    refused(500, "internal_error", ""),
    refused(404, "hold_not_found", ""),
    refused(429, "rate_limited", "", 9),
    refused(409, "hold_expired", "failed"),
  ];
  for (const answer of answers) {
    const step = afterComplete(answer, hold);
    if (step.kind === "halt") expect(step.notice.body.join(" ")).not.toMatch(/nothing/i);
    else expect(step).toEqual({ kind: "wait", seconds: 9 });
  }
  expect(afterLook({ kind: "unreachable" }, hold)).toEqual({ kind: "halt", notice: words.unreachableAfter });
});

test("the platform took it: told as news to who sent it, as past to who comes later", () => {
  const gone = refused(409, "hold_expired", "sent");
  expect(noticeOf(afterComplete(ok({ status: "sent" }), hold)).body[0]).toContain("has been sent on Messenger");
  expect(noticeOf(afterLook(gone, hold)).title).toBe("Sent");
  expect(noticeOf(afterLook(gone, null)).title).toBe("Already sent");
  expect(afterComplete(refused(409, "hold_expired", "sending"), hold)).toEqual({ kind: "watch", hold: null });
});
