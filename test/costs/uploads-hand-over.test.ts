import { beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { UploadOutcome } from "#platforms/graph/platform.ts";
import { handOverWorker } from "../../functions/hand-over/worker.ts";
import { openHandOverFixture } from "../features/uploads/flows/support/hand-over-fixture.ts";
import { refusedOutcome, unknownOutcome } from "../support/flows/conversation-fixture.ts";
import { invokeWorker } from "../support/flows/queue-worker.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { attachMeter, type Meter } from "../support/meter.ts";
import { openedEach, openedOnce } from "../support/opened.ts";

let meter: Meter;
let id: string;
const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  meter = attachMeter(testEnv.client, testEnv.table.name);
});
const fixture = openedEach(() => openHandOverFixture(testEnv));
beforeEach(async () => {
  id = await fixture.newUpload();
});

/** What one run of the worker costs. */
async function cost(): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("hand-over", () => fixture.run());
  return { wcu, rcu };
}

test("a hand-over is two writes and three read units", async () => {
  expect(await cost()).toEqual({ wcu: 2, rcu: 3 });
  expect(await fixture.state(id)).toMatchObject({ status: "ready" });
});

test("a call without an answer counts as one write, and its repetition as a hand-over", async () => {
  fixture.setAnswer(unknownOutcome as UploadOutcome);
  expect(await cost()).toEqual({ wcu: 1, rcu: 2 });
  testEnv.advance(5 * SECOND);
  expect(await cost()).toEqual({ wcu: 1, rcu: 2 });
  expect(await fixture.state(id)).toMatchObject({ status: "failed" });
});

test("a refusal is one write", async () => {
  fixture.setAnswer(refusedOutcome as UploadOutcome);
  expect(await cost()).toEqual({ wcu: 1, rcu: 2 });
});

test("a refusal after more than a second reads the account again, also without sockets", async () => {
  fixture.setAnswer(async () => {
    testEnv.advance(SECOND);
    return refusedOutcome as UploadOutcome;
  });
  expect(await cost()).toEqual({ wcu: 1, rcu: 2 });
  id = await fixture.newUpload();
  fixture.setAnswer(async () => {
    testEnv.advance(SECOND + 1);
    return refusedOutcome as UploadOutcome;
  });
  expect(await cost()).toEqual({ wcu: 1, rcu: 3 });
});

test("the message of a run that died after the upload was ready reads the account, also without sockets", async () => {
  const remove = () => Promise.reject(new Error("The process died."));
  const ports = fixture.ports();
  const dying = handOverWorker({ ...ports, uploadFiles: { ...ports.uploadFiles, remove } }, testEnv.now);
  await invokeWorker(testEnv.eventSource, fixture.queueUrl, dying, 120_000);
  expect(await fixture.state(id)).toMatchObject({ status: "ready" });
  testEnv.advance(721 * SECOND);
  expect(await cost()).toEqual({ wcu: 0, rcu: 2.5 });
});

test("a message that comes twice is two reads", async () => {
  await fixture.run();
  await fixture.enqueue(id);
  expect(await cost()).toEqual({ wcu: 0, rcu: 1.5 });
});

test("a message that comes after a reader has stored the end by time is three reads", async () => {
  testEnv.advance(5 * MINUTE);
  expect(await fixture.state(id)).toMatchObject({ status: "failed" });
  expect(await cost()).toEqual({ wcu: 0, rcu: 2.5 });
});
