import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import type { EraseRequestPorts } from "#features/erasure/ports.ts";
import { newTally } from "#features/stats/count.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { Crash } from "../../../support/faults.ts";
import { allRows, tenantCaller } from "../../../support/flows/data-subject.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { useSubject } from "./support/erased-conversations.ts";

const { drain, erase, expectErased, queues, subject, testEnv } = useSubject();

/** Runs the request with no time for any page after the start. */
function start(ports: EraseRequestPorts) {
  const { tenant, conversation: conversationId } = subject;
  const request = { tenant, conversationId, author: { caller: tenantCaller(tenant), ip: null } };
  return eraseConversation(ports, { ...request, now: testEnv.now(), time: testEnv }, () => false);
}
/** The tenant's rows, and whether an erasure is in progress. */
const rowsOfErasedTenant = async () => {
  const { tenant, conversation } = subject;
  const { head, erasure } = await testEnv.erasePorts(queues).erasures.getWithHead(conversation, testEnv.now());
  const rows = (await allRows(testEnv)).filter(({ PK, SK }) => PK.includes(tenant) && SK !== "STATE");
  return { head, erasure, rows };
};
const runBackground = () =>
  invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));

/** The message fails ten times, and a sweep sends another one. */
async function runBackgroundAfterDeadLetter(): Promise<void> {
  const taken: string[] = [];
  await invokeWorker(testEnv.eventSource, queues.erasures, async ({ Records }) => {
    taken.push(...Records.map(({ body }) => body));
    return { batchItemFailures: [] };
  });
  const [body] = taken;
  if (body === undefined) throw new Error("The erasure has no message.");
  const letter = { queue: "Erasures", messageId: "m", sentAt: testEnv.now(), group: null, receives: 10 } as const;
  await quarantineDeadLetter(testEnv.deadLetterPorts("Erasures"), { ...letter, body }, newTally(), testEnv.now());
  testEnv.advance(31 * MINUTE);
  await sweepDue(testEnv.sweepPorts(queues), testEnv.now());
  await runBackground();
}

it("an erasure that starts 25 seconds after its message, by a process that then dies, is continued", async () => {
  const ports = interceptCalls(testEnv.erasePorts(queues), async (name, call) => {
    if (name !== "erasures.start") return call();
    testEnv.advance(25 * SECOND);
    await runBackground();
    await call();
    throw new Crash("died after the start");
  });
  await expect(start(ports)).rejects.toThrow("died after the start");
  await expectErased();
});

it("an erasure that a process starts after it was frozen for an hour is continued", async () => {
  const point = { call: "erasures.start", when: "before" } as const;
  const whileFrozen = async () => {
    testEnv.advance(HOUR);
    await runBackground();
    expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
  };
  const { reached, result } = await runFrozen(testEnv.erasePorts(queues), point, { work: start, whileFrozen });
  expect([reached, result]).toMatchObject([true, { value: { done: false } }]);
  await expectErased();
});

it("an erasure of a process that was frozen and then dies has not started, when its message became a dead letter", async () => {
  const rowsBefore = await rowsOfErasedTenant();
  const ports = interceptCalls(testEnv.erasePorts(queues), async (name, call) => {
    if (name !== "erasures.start") return call();
    testEnv.advance(MINUTE);
    await runBackgroundAfterDeadLetter();
    await call();
    throw new Crash("died after the call");
  });
  await expect(start(ports)).rejects.toThrow("died after the call");
  expect(await rowsOfErasedTenant()).toEqual(rowsBefore);
});

it.each(["erasures.start", "erasures.renew"])(
  "an erasure of a process that was frozen for an hour and then dies has not started (%s)",
  async (frozenCall) => {
    if (frozenCall === "erasures.renew") {
      await erase();
      await drain();
      testEnv.advance(SECOND);
    }
    const rowsBefore = await rowsOfErasedTenant();
    const ports = interceptCalls(testEnv.erasePorts(queues), async (name, call) => {
      if (name !== frozenCall) return call();
      testEnv.advance(HOUR);
      await runBackground();
      await call();
      throw new Crash("died after the call");
    });
    await expect(start(ports)).rejects.toThrow("died after the call");
    expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
    expect(await rowsOfErasedTenant()).toEqual(rowsBefore);
    testEnv.advance(SECOND);
    await erase();
    await expectErased();
  },
);

it("an erasure that starts while its message is read, by a process that then dies, is continued", async () => {
  const dead = Promise.withResolvers<void>();
  const ports = interceptCalls(testEnv.erasePorts(queues), async (name, call) => {
    if (name !== "erasures.start") return call();
    testEnv.advance(MINUTE);
    const background = interceptCalls(testEnv.erasePorts(queues), async (other, read) => {
      const answer = await read();
      if (other === "erasures.get") await call().finally(dead.resolve);
      return answer;
    });
    await invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(background, testEnv.now));
    await dead.promise;
    throw new Crash("died after the start");
  });
  await expect(start(ports)).rejects.toThrow("died after the start");
  await expectErased();
});
