import { beforeEach, expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import type { AttemptStage } from "#base/kernel/attempt-stage.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
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

/** The ports of a worker whose work fails in one stage. */
const failingIn: Readonly<Record<AttemptStage, (ports: DeliverPorts) => Partial<DeliverPorts>>> = {
  prepare: () => ({ vault: { ...outage.deliverPorts.vault, open: fail } }),
  call: ({ webhookClient }) => ({ webhookClient: { ...webhookClient, send: fail } }),
  record: ({ deliveries }) => ({ deliveries: { ...deliveries, recordFirst: fail, settleDelivery: fail } }),
  follow_up: ({ retries }) => ({ retries: { ...retries, send: fail } }),
};

function failingWorker(stage: AttemptStage) {
  const ports = { ...outage.deliverPorts, webhookClient: { send: async () => refusal, close: async () => {} } };
  return deliverWorker({ ...ports, ...failingIn[stage](ports) }, testEnv.now);
}

const failedStages = () =>
  testEnv.lines.flatMap((line) => (line.event === "record.failed" ? [[line.error, line.stage]] : []));

const stages = Object.keys(failingIn) as AttemptStage[];

it.each(stages)(
  "a first attempt that fails in the stage %s names it in the log, and its event comes again",
  async (stage) => {
    await outage.write(1);
    const { failed } = await invokeWorker(testEnv.eventSource, outage.queues.events, failingWorker(stage));
    expect(failed).toHaveLength(1);
    expect(failedStages()).toEqual([["TypeError", stage]]);
  },
);

it.each(stages)(
  "a retry that fails in the stage %s names it in the log, and its message comes again",
  async (stage) => {
    const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
    await outage.queueAttempt({ endpointId: outage.endpoint.id, eventUlid }, 2);
    const { failed } = await invokeWorker(testEnv.eventSource, outage.queues.deliveries, failingWorker(stage));
    expect(failed).toHaveLength(1);
    expect(failedStages()).toEqual([["TypeError", stage]]);
  },
);
