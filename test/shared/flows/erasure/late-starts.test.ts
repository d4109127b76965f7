import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import type { ErasePorts } from "../../../../shared/flows/erasure/ports.ts";
import { HOUR, SECOND } from "../../../../shared/kernel/time.ts";
import { Crash } from "../../../support/faults.ts";
import { runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { newTenant } from "../../stores/support/samples.ts";
import {
  type DataSubject,
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  seedDataSubject,
  tenantCaller,
} from "../support/data-subject.ts";
import { invokeWorker, queueDepth } from "../support/queue-worker.ts";
import { openTestEnv, type TestEnv, type TestQueues } from "../support/test-env.ts";

let testEnv: TestEnv;
let queues: TestQueues;
let subject: DataSubject;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  const tenant = newTenant();
  queues = await testEnv.newQueues();
  subject = await seedDataSubject(testEnv, tenant, [await putEndpointRow(testEnv, tenant, "one")]);
  testEnv.advance(SECOND);
});

/** Runs the request with no time for any page after the start. */
function erase(ports: ErasePorts) {
  const { tenant, conversation: conversationId } = subject;
  const request = { tenant, conversationId, caller: tenantCaller(tenant), ip: null };
  return eraseConversation(ports, { ...request, now: testEnv.now(), time: testEnv }, () => false);
}
const runBackground = () =>
  invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));

describe("an erasure that starts", () => {
  it("25 seconds after its message, by a process that then dies, is continued", async () => {
    const ports = interceptCalls(testEnv.erasePorts(queues), async (name, call) => {
      if (name !== "erasures.start") return call();
      testEnv.advance(25 * SECOND);
      await runBackground();
      await call();
      throw new Crash("died after the start");
    });
    await expect(erase(ports)).rejects.toThrow("died after the start");
    await drainErasures(testEnv, queues);
    expect(await rowsMentioning(testEnv, subject)).toEqual([]);
  });

  it("by a process that was frozen for an hour is continued", async () => {
    const point = { call: "erasures.start", when: "before" } as const;
    const whileFrozen = async () => {
      testEnv.advance(HOUR);
      await runBackground();
      expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
    };
    const { reached, result } = await runFrozen(testEnv.erasePorts(queues), point, { work: erase, whileFrozen });
    expect([reached, result]).toMatchObject([true, { value: { done: false } }]);
    await drainErasures(testEnv, queues);
    expect(await rowsMentioning(testEnv, subject)).toEqual([]);
  });
});
