import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { SECOND } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { Crash } from "../../../support/faults.ts";
import {
  allRows,
  type DataSubject,
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  runErasure,
  seedDataSubject,
  tenantCaller,
  uploadedFiles,
} from "../../../support/flows/data-subject.ts";
import {
  eachFault,
  FAULT_STEP,
  faultPoints,
  firstFault,
  injectFaultAt,
} from "../../../support/flows/fault-injection.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

interface TestCase {
  readonly tenant: TenantId;
  readonly queues: TestQueues;
  readonly subject: DataSubject;
}

async function newCase(messages = 2): Promise<TestCase> {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const endpoints = [await putEndpointRow(testEnv, tenant, "one")];
  const subject = await seedDataSubject(testEnv, tenant, endpoints, { messages, files: true });
  testEnv.advance(SECOND);
  return { tenant, queues, subject };
}

async function listAudit({ tenant }: TestCase) {
  const { rows } = await auditStore(testEnv.table).list(tenant, { before: null, limit: 9, now: testEnv.now() });
  return rows.filter(({ action }) => action === "conversation.erase");
}

async function expectErasedOnce(testCase: TestCase): Promise<void> {
  const { sendRecords, ...rest } = testCase.subject.counts;
  expect(await rowsMentioning(testEnv, testCase.subject)).toEqual([]);
  expect(await uploadedFiles(testEnv)).toEqual([]);
  expect((await listAudit(testCase)).map(({ detail }) => detail)).toEqual([{ ...rest, send_records: sendRecords }]);
}

eachFault(
  "an erasure that crashes (%s) at any call of its request completes and counts each row once",
  testEnv,
  async (interrupt, { faultPoint, callIndex: k, isReached }) => {
    const one = await newCase();
    const answer = await interrupt(() => runErasure(testEnv, one.queues, one.subject));
    if (faultPoint === "lost" || !isReached()) {
      expect(answer, `call ${k}`).toEqual({ done: true, removed: one.subject.counts });
    }
    // An erasure that crashed before its start has no effect.
    if (answer === null && (await listAudit(one)).length === 0) await drainErasures(testEnv, one.queues);
    if ((await listAudit(one)).length === 0) {
      expect(await runErasure(testEnv, one.queues, one.subject), `call ${k}`).toEqual({
        done: true,
        removed: one.subject.counts,
      });
    }
    await drainErasures(testEnv, one.queues);
    await expectErasedOnce(one);
    if (!isReached()) expect(k).toBeGreaterThan(15);
  },
  120_000,
);

it.each(faultPoints)(
  "an erasure that crashes (%s) at any call of the background completes and counts each row once",
  async (faultPoint) => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const one = await newCase();
      await runErasure(testEnv, one.queues, one.subject, 0);
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      // One crash anywhere in both passes. Calls of the queue itself are not part of the process.
      while (!injection.reached() && (await queueDepth(testEnv.eventSource, one.queues.erasures)) > 0) {
        testEnv.advance(61 * SECOND);
        const worker = injection.crashable(eraseWorker(testEnv.erasePorts(one.queues), testEnv.now));
        await invokeWorker(testEnv.eventSource, one.queues.erasures, worker).catch(() => {});
      }
      injection.remove();
      await drainErasures(testEnv, one.queues);
      await expectErasedOnce(one);
      if (!injection.reached()) {
        expect(k).toBeGreaterThan(15);
        return;
      }
    }
  },
  120_000,
);

it("an erasure that dies right after its start is known to workers, and the background completes it", async () => {
  const one = await newCase();
  const { tenant, conversation: conversationId } = one.subject;
  const ports = interceptCalls(testEnv.erasePorts(one.queues), async (name, call) => {
    const result = await call();
    if (name === "erasures.start") throw new Crash("died after the start");
    return result;
  });
  const request = {
    tenant,
    conversationId,
    author: { caller: tenantCaller(tenant), ip: null },
    now: testEnv.now(),
    time: testEnv,
  };
  await expect(eraseConversation(ports, request, () => true)).rejects.toThrow("died after the start");
  const { lastErasureAt } = await testEnv.ingestPorts(one.queues).tenantStates.get(tenant);
  expect(lastErasureAt).toBeGreaterThanOrEqual(request.now);
  await drainErasures(testEnv, one.queues);
  await expectErasedOnce(one);
});

it("an erasure of several pages that crashes after each call in turn counts each row once", async () => {
  const one = await newCase(230);
  const answers: unknown[] = [];
  for (let k = 3; k < 200; k += 7) {
    const injection = injectFaultAt(testEnv.clients, "after", k % 23);
    answers.push(await runErasure(testEnv, one.queues, one.subject).catch(() => "died"));
    injection.remove();
  }
  expect(answers.filter((answer) => answer === "died").length).toBeGreaterThan(3);
  await drainErasures(testEnv, one.queues);
  await expectErasedOnce(one);
}, 60_000);

it("an erasure leaves no saved events behind, wherever it crashed", async () => {
  const eventMarkers = (await allRows(testEnv)).filter(({ PK, SK }) => PK.startsWith("ER#") && SK !== "R");
  expect(eventMarkers.length).toBeGreaterThan(0);
  expect(eventMarkers.filter((row) => Object.keys(row).sort().join() !== "PK,SK,k,x")).toEqual([]);
});
