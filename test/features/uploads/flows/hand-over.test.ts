import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import type { UploadOutcome } from "#platforms/graph/platform.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { openHandOverFixture, refuseUpload, takeUpload } from "./support/hand-over-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openHandOverFixture(testEnv));

const refused = (changes: object = {}) => refuseUpload({ detail: "the platform's words", ...changes });
const failedState = (code: string, detail: string | null) => ({ status: "failed", error: { code, detail } });

it("an upload that the platform takes is ready with the platform's id, belongs to its account, and leaves no copy", async () => {
  const id = await fixture.newUpload();
  expect(await fixture.copies()).toHaveLength(1);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.state(id)).toMatchObject({ status: "ready", attachmentId: "att-1" });
  expect(await fixture.ownerOf("att-1")).toBe(accountKey(fixture.account));
  expect(await fixture.copies()).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, fixture.queueUrl)).toBe(0);
});

it("an upload that the platform takes belongs to its account before anybody can read its id", async () => {
  const id = await fixture.newUpload();
  const ports = fixture.ports();
  const owners: unknown[] = [];
  const complete: typeof ports.uploads.complete = async (...args) => {
    owners.push(await fixture.ownerOf("att-1"));
    return ports.uploads.complete(...args);
  };
  await fixture.run({ ...ports, uploads: { ...ports.uploads, complete } });
  expect(owners).toEqual([accountKey(fixture.account)]);
  expect(await fixture.state(id)).toMatchObject({ status: "ready" });
});

it("an upload that the platform takes is fetched from a link of five minutes, with the account's token and time to store the answer", async () => {
  await fixture.newUpload();
  await fixture.run();
  const [call] = fixture.calls;
  expect(call).toMatchObject({
    type: "image",
    token: "a token",
    leavesBy: testEnv.now() + 5 * MINUTE - 10 * SECOND,
    endsBy: testEnv.now() + 110 * SECOND,
  });
  expect(new URL(call?.url ?? "").searchParams.get("X-Amz-Expires")).toBe("300");
});

it("an upload of a test key gets the id of the mock, without a call", async () => {
  const id = await fixture.newUpload({ scope: "test" });
  await fixture.run();
  expect(await fixture.state(id)).toMatchObject({
    status: "ready",
    attachmentId: expect.stringMatching(/^mock_att_[0-9A-Z]{26}$/),
  });
  expect(fixture.calls).toEqual([]);
  expect(await fixture.copies()).toEqual([]);
});

it("an upload that the platform takes is ready although its copy cannot be deleted at first, and the copy is deleted five seconds later", async () => {
  const id = await fixture.newUpload();
  const remove = () => Promise.reject(new Error("injected: storage is unavailable"));
  expect(await fixture.run(fixture.ports({ uploadFiles: { remove } }))).toEqual({ received: 1, failed: 1 });
  expect(await fixture.state(id)).toMatchObject({ status: "ready", attachmentId: "att-1" });
  expect(await fixture.copies()).toHaveLength(1);
  testEnv.advance(6 * SECOND);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.copies()).toEqual([]);
  expect(fixture.calls).toHaveLength(1);
});

it("an upload that the platform takes has one id although its message comes twice, also at the same time", async () => {
  const id = await fixture.newUpload();
  await fixture.enqueue(id);
  expect(await fixture.run()).toEqual({ received: 2, failed: 0 });
  const state = await fixture.state(id);
  expect(fixture.calls).toHaveLength(2);
  await fixture.enqueue(id);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.state(id)).toEqual(state);
  expect(fixture.calls).toHaveLength(2);
});

const transient = refused({ class: "invalid", transient: true });

it.each([
  ["a refusal that may pass", transient],
  ["no answer", unknownOutcome as UploadOutcome],
])("a call after %s is made again, five seconds later", async (_name, outcome) => {
  const id = await fixture.newUpload();
  fixture.setAnswer(outcome);
  expect(await fixture.run()).toEqual({ received: 1, failed: 1 });
  expect(await fixture.state(id)).toMatchObject({ status: "processing", tries: 1 });
  testEnv.advance(5 * SECOND - 1);
  expect(await fixture.run()).toEqual({ received: 0, failed: 0 });
  testEnv.advance(1);
  fixture.setAnswer(takeUpload("second"));
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.state(id)).toMatchObject({ status: "ready", attachmentId: "second" });
  expect(await fixture.copies()).toEqual([]);
});

it.each([
  ["the platform's words", transient, "the platform's words"],
  ["outcome_unknown", unknownOutcome as UploadOutcome, "outcome_unknown"],
])("an upload fails the second time with %s", async (_name, outcome, detail) => {
  const id = await fixture.newUpload();
  fixture.setAnswer(outcome);
  await fixture.run();
  testEnv.advance(5 * SECOND);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.state(id)).toMatchObject(failedState("send_failed", detail));
  expect(fixture.calls).toHaveLength(2);
  expect(await fixture.copies()).toEqual([]);
});

it("an upload fails with the platform's words after a refusal that does not pass, without a second call", async () => {
  const id = await fixture.newUpload();
  fixture.setAnswer(refused());
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.state(id)).toMatchObject(failedState("send_failed", "the platform's words"));
  expect(fixture.calls).toHaveLength(1);
  expect(await fixture.copies()).toEqual([]);
});

it("an upload fails as internal_error, without a call, if its message comes ten seconds before its time is over", async () => {
  const id = await fixture.newUpload();
  testEnv.advance(5 * MINUTE - 10 * SECOND);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.uploads.get(id)).toMatchObject({ state: failedState("internal_error", null) });
  expect(fixture.calls).toEqual([]);
  expect(await fixture.copies()).toEqual([]);
});

it("an upload fails as internal_error when its message comes after the five minutes", async () => {
  const id = await fixture.newUpload();
  testEnv.advance(12 * MINUTE);
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.uploads.get(id)).toMatchObject({ state: failedState("internal_error", null) });
  expect(await fixture.copies()).toEqual([]);
});

it("an upload that failed stays failed when the platform takes it after the time has passed", async () => {
  const id = await fixture.newUpload();
  testEnv.advance(4 * MINUTE);
  fixture.setAnswer(async () => {
    testEnv.advance(MINUTE);
    return takeUpload("late");
  });
  await fixture.run();
  expect(await fixture.uploads.get(id)).toMatchObject({ state: failedState("internal_error", null) });
  testEnv.advance(20 * MINUTE);
  expect(await fixture.state(id)).toMatchObject(failedState("internal_error", null));
  expect(await fixture.copies()).toEqual([]);
});

it.each([
  ["with the platform's words", 5 * MINUTE - 1, "send_failed", "the platform's words"],
  ["as internal_error", 5 * MINUTE, "internal_error", null],
])("an upload fails with %s when the refusal comes after %i ms", async (_name, after, code, detail) => {
  const id = await fixture.newUpload();
  testEnv.advance(4 * MINUTE);
  fixture.setAnswer(async () => {
    testEnv.advance(after - 4 * MINUTE);
    return refused();
  });
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(await fixture.uploads.get(id)).toMatchObject({ state: failedState(code, detail) });
  expect(await fixture.copies()).toEqual([]);
});

it("a message that names no upload of its tenant ends without a call", async () => {
  await fixture.enqueue("upl_01M7ZAN532DXZZ1TKP6RZ0YEPG");
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  const other = await openHandOverFixture(testEnv);
  await fixture.enqueue(await other.newUpload());
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(fixture.calls).toEqual([]);
  expect(testEnv.lines.filter(({ event }) => event === "record.dropped")).toHaveLength(2);
});
