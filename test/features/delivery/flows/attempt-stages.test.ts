import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import type { AttemptStage } from "#base/kernel/attempt-stage.ts";
import { ServiceUnavailable } from "#base/kernel/service-fault.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { invokeWithRecord, invokeWorker } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

let outage: Outage;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  outage = await openOutage(testEnv);
  testEnv.lines.length = 0;
});

const refusal: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 5 };
const fail = async (): Promise<never> => {
  throw new TypeError("broken");
};

type Failing = (ports: DeliverPorts, work?: typeof fail) => Partial<DeliverPorts>;

/** The ports of a worker whose work fails in one stage. */
const failingIn: Readonly<Record<AttemptStage, Failing>> = {
  prepare: (_, open = fail) => ({ vault: { ...outage.deliverPorts.vault, open } }),
  call: ({ webhookClient }, send = fail) => ({ webhookClient: { ...webhookClient, send } }),
  record: ({ deliveries }, write = fail) => ({
    deliveries: { ...deliveries, recordFirst: write, settleDelivery: write },
  }),
  follow_up: ({ retries }, send = fail) => ({ retries: { ...retries, send } }),
};

function failingWorker(failing: (ports: DeliverPorts) => Partial<DeliverPorts>) {
  const ports = { ...outage.deliverPorts, webhookClient: { send: async () => refusal, close: async () => {} } };
  return deliverWorker({ ...ports, ...failing(ports) }, testEnv.now);
}

const stagesOf = (event: "record.failed" | "record.postponed") =>
  testEnv.lines.flatMap((line) => (line.event === event ? [[line.error, line.stage]] : []));
const failedStages = () => stagesOf("record.failed");

const stages = Object.keys(failingIn) as AttemptStage[];

it.each(stages)(
  "a first attempt that fails in the stage %s names it in the log, and its event comes again",
  async (stage) => {
    await outage.write(1);
    const { failed } = await invokeWorker(testEnv.eventSource, outage.queues.events, failingWorker(failingIn[stage]));
    expect(failed).toHaveLength(1);
    expect(failedStages()).toEqual([["TypeError", stage]]);
  },
);

it.each(stages)(
  "a retry that fails in the stage %s names it in the log, and its message comes again",
  async (stage) => {
    const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
    await outage.queueAttempt({ endpointId: outage.endpoint.id, eventUlid }, 2);
    const { failed } = await invokeWorker(
      testEnv.eventSource,
      outage.queues.deliveries,
      failingWorker(failingIn[stage]),
    );
    expect(failed).toHaveLength(1);
    expect(failedStages()).toEqual([["TypeError", stage]]);
  },
);

it.each(stages)("a retry that an outage postpones in the stage %s names it in the log", async (stage) => {
  const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
  const retry = { tenant: outage.tenant, endpointId: outage.endpoint.id, eventUlid, attempt: 2 };
  let calls = 0;
  // The queue takes the new message after it has refused the next attempt.
  const failOnce = async (): Promise<never> => {
    if (calls++ === 0) throw new ServiceUnavailable("injected");
    return undefined as never;
  };
  const worker = failingWorker((ports) => failingIn[stage](ports, failOnce));
  const answer = await invokeWithRecord(worker, encodeRetry(retry), 5, outage.queues.deliveries);
  expect(answer.batchItemFailures).toEqual([]);
  expect(stagesOf("record.postponed")).toEqual([["ServiceUnavailable", stage]]);
});

it("a probe that cannot read what waits for its endpoint names the stage prepare, and its message comes again", async () => {
  const { openUntil } = await outage.openCircuit();
  testEnv.advance(openUntil - testEnv.now());
  testEnv.lines.length = 0;
  const worker = failingWorker(({ deliveries }) => ({ deliveries: { ...deliveries, listWaiting: fail } }));
  const { failed } = await invokeWorker(testEnv.eventSource, outage.queues.slowDeliveries, worker);
  expect(failed).toHaveLength(1);
  expect(failedStages()).toEqual([["TypeError", "prepare"]]);
});

it("an attempt that cannot be deferred names the stage follow_up, and its message comes again", async () => {
  await outage.setBreaker({ slowUntil: testEnv.now() + 5 * MINUTE });
  const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
  const body = encodeRetry({ tenant: outage.tenant, endpointId: outage.endpoint.id, eventUlid, attempt: 2 });
  await openQueue(outage.queues.slowDeliveries, testEnv.eventSource).send({ body });
  const worker = failingWorker(({ concurrencySlots, slowRetries }) => ({
    concurrencySlots: { ...concurrencySlots, acquire: async () => null },
    slowRetries: { ...slowRetries, send: fail },
  }));
  const { failed } = await invokeWorker(testEnv.eventSource, outage.queues.slowDeliveries, worker);
  expect(failed).toHaveLength(1);
  expect(failedStages()).toEqual([["TypeError", "follow_up"]]);
});
