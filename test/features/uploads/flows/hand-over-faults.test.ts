import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { describe, expect, inject, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { UploadState } from "#features/uploads/rules/uploads.ts";
import type { UploadOutcome } from "#platforms/graph/platform.ts";
import { handOverWorker } from "../../../../functions/hand-over/worker.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { faultPoints, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { invokeWorker, type QueueWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type HandOverFixture, openHandOverFixture, refuseUpload, takeUpload } from "./support/hand-over-fixture.ts";

// A hand-over that dies, or whose call to AWS fails, at any call.

const testEnv = openedOnce(openTestEnv);

const kinds = [...faultPoints, "throttle", "twice"] as const;
type Kind = (typeof kinds)[number];
/** `npm test` injects one fault into each call, in turn. `npm run test:full` injects all of them. */
const STEP = inject("fullRun") ? 1 : kinds.length;

/** Injects a fault into the k-th call to AWS of one run of the worker. @returns whether there was such a call */
async function runWithFault(fixture: HandOverFixture, kind: Kind, k: number): Promise<boolean> {
  const worker = handOverWorker(fixture.ports(), testEnv.now) as QueueWorker;
  const { eventSource } = testEnv;
  if (kind === "throttle" || kind === "twice") {
    let calls = 0;
    const decide = (): Fault => (calls++ === k ? kind : "pass");
    const ends = testEnv.clients.map((client) => injectFaults(client as never, decide));
    await invokeWorker(eventSource, fixture.queueUrl, worker, 120_000);
    for (const end of ends) end();
    return calls > k;
  }
  const injection = injectFaultAt(testEnv.clients, kind, k);
  await invokeWorker(eventSource, fixture.queueUrl, injection.crashable(worker), 120_000);
  injection.remove();
  return injection.reached();
}

/** Reads the upload each minute until nothing can happen any more. @returns its end */
async function watch(fixture: HandOverFixture, id: string) {
  const startedAt = testEnv.now();
  let seen: UploadState | null = null;
  while (testEnv.now() < startedAt + 26 * MINUTE) {
    const state = await fixture.state(id);
    if (seen?.status === "ready" || seen?.status === "failed") expect(state).toEqual(seen);
    if (testEnv.now() >= startedAt + 5 * MINUTE) expect(state?.status).not.toBe("processing");
    seen = state;
    testEnv.advance(MINUTE);
    await fixture.run();
  }
  expect(await queueDepth(testEnv.eventSource, fixture.queueUrl)).toBe(0);
  expect(await fixture.copies()).toEqual([]);
  return seen;
}

describe.each(kinds)("a fault (%s) at any call", (kind) => {
  const each = async (check: (k: number) => Promise<boolean>, callsMin: number) => {
    for (let k = kinds.indexOf(kind) % STEP; ; k += STEP) {
      if (await check(k)) continue;
      expect(k).toBeGreaterThanOrEqual(callsMin);
      return;
    }
  };

  it("a hand-over ends as ready with one id that belongs to its account, or as failed, and leaves no copy", async () => {
    await each(async (k) => {
      const fixture = await openHandOverFixture(testEnv);
      const id = await fixture.newUpload();
      const reached = await runWithFault(fixture, kind, k);
      const end = await watch(fixture, id);
      if (end?.status === "ready") expect(await fixture.ownerOf(end.attachmentId)).not.toBeNull();
      else expect(end).toMatchObject({ status: "failed", error: { code: "internal_error" } });
      if (kind === "throttle" || kind === "twice" || kind === "lost") expect(end?.status).toBe("ready");
      return reached;
      // Upload, conversation, account, key, owner, upload, copy.
    }, 7);
  });

  it("a hand-over ends in the same way after a call that may pass", async () => {
    await each(async (k) => {
      const fixture = await openHandOverFixture(testEnv);
      const id = await fixture.newUpload();
      const outcomes = [unknownOutcome as UploadOutcome, refuseUpload({ class: "invalid", transient: true })];
      fixture.setAnswer(async () => outcomes.shift() ?? takeUpload("third"));
      const reached = await runWithFault(fixture, kind, k);
      const end = await watch(fixture, id);
      const died = kind === "before" || kind === "after";
      if (!died) expect(end).toMatchObject({ status: "failed", error: { code: "send_failed", detail: "no" } });
      else expect(end).toMatchObject({ status: "failed" });
      return reached;
    }, 5);
  });

  it.each([
    ["at once", "send_failed"],
    ["after the visibility timeout", "internal_error"],
  ])(
    "a hand-over changes the account's status once after a refusal, with one event, if its message comes %s",
    async (comes, code) => {
      await each(async (k) => {
        const fixture = await openHandOverFixture(testEnv);
        const id = await fixture.newUpload();
        fixture.setAnswer(refuseUpload({ class: "token", accountStatus: "needs_reauth" }));
        const reached = await runWithFault(fixture, kind, k);
        if (comes === "at once") await fixture.enqueue(id);
        await fixture.run();
        const end = await watch(fixture, id);
        expect(["send_failed", code]).toContain(end?.status === "failed" && end.error.code);
        const account = await fixture.accounts.get(fixture.tenant, fixture.account);
        if (comes !== "at once" && account?.status === "active") return reached;
        expect(await fixture.accounts.get(fixture.tenant, fixture.account)).toMatchObject({ status: "needs_reauth" });
        const events = await fixture.standaloneEvents();
        expect(events.map(({ type }) => type)).toContain("account.needs_reauth");
        expect(new Set(events.map(({ eventUlid }) => eventUlid)).size).toBe(1);
        return reached;
      }, 9);
    },
  );
});

it("a fault that stays comes again after seconds, then minutes, and ends as internal_error after five minutes", async () => {
  const fixture = await openHandOverFixture(testEnv);
  const id = await fixture.newUpload();
  const startedAt = testEnv.now();
  const ports = fixture.ports({ vault: { open: () => Promise.reject(new Error("injected: the key is unavailable")) } });
  const receivedAfter: number[] = [];
  while ((await queueDepth(testEnv.eventSource, fixture.queueUrl)) > 0) {
    const { received } = await fixture.run(ports);
    if (received > 0) receivedAfter.push(testEnv.now() - startedAt);
    testEnv.advance(SECOND);
  }
  const waits = receivedAfter.slice(1).map((at, i) => (at - (receivedAfter[i] ?? 0)) / SECOND);
  expect(waits).toHaveLength(6);
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(5 * 2 ** i);
    expect(wait).toBeLessThanOrEqual(5 * 2 ** i * 1.1 + 1);
  }
  expect(await fixture.uploads.get(id)).toMatchObject({
    state: { status: "failed", error: { code: "internal_error", detail: null } },
  });
  expect(fixture.calls).toEqual([]);
  expect(await fixture.copies()).toEqual([]);
});

/** Runs a hand-over that stops before its k-th call to AWS, until `whileFrozen` is done. @returns whether it was reached */
async function runFrozen(run: () => Promise<unknown>, k: number, whileFrozen: () => Promise<void>): Promise<boolean> {
  let calls = 0;
  const decide = async () => {
    // The calls of `whileFrozen` count, too, and come after the k-th.
    if (calls++ === k) await whileFrozen();
    return "pass" as const;
  };
  const removals = testEnv.clients.map((client) => injectFaults(client as unknown as DynamoDBClient, decide));
  await run();
  for (const remove of removals) remove();
  return calls > k;
}

describe.each<[string, UploadOutcome]>([
  ["takes the file", takeUpload("late")],
  ["refuses it", refuseUpload({ detail: "no" })],
  ["refuses the token", refuseUpload({ class: "token", accountStatus: "needs_reauth" })],
  ["does not answer", unknownOutcome as UploadOutcome],
])("when the platform %s", (_name, outcome) => {
  it("a hand-over that freezes before any call changes no end that a reader saw", async () => {
    for (let k = 0; ; k++) {
      const fixture = await openHandOverFixture(testEnv);
      const id = await fixture.newUpload();
      testEnv.advance(5 * MINUTE - 11 * SECOND);
      fixture.setAnswer(outcome);
      let seen: Awaited<ReturnType<typeof fixture.state>> = null;
      const isReached = await runFrozen(fixture.run, k, async () => {
        testEnv.advance(11 * SECOND);
        seen = await fixture.state(id);
      });
      if (!isReached) {
        expect(k).toBeGreaterThanOrEqual(6);
        return;
      }
      expect(seen).toMatchObject({ status: expect.stringMatching(/^(ready|failed)$/) });
      expect(await fixture.state(id)).toEqual(seen);
      testEnv.advance(13 * MINUTE);
      await fixture.run();
      expect(await fixture.state(id)).toEqual(seen);
      expect(await fixture.copies()).toEqual([]);
    }
  });
});
