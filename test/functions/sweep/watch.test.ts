import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { env, queues as queueNames } from "#base/config/names.ts";
import { deadLetterQueueUrlSettings } from "#base/config/settings.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { openTestEnv, type TestQueues } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
let queues: TestQueues;
beforeEach(async () => {
  queues = await testEnv.newQueues();
  for (const url of Object.values(queues)) await createQueue(`${url}-dead`);
  testEnv.lines.length = 0;
});

afterEach(() => testEnv.enableKey());

const createQueue = (url: string) =>
  testEnv.eventSource.send(new CreateQueueCommand({ QueueName: url.split("/").at(-1) }));
const send = (url: string) => testEnv.eventSource.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "{}" }));
const watch = () =>
  sweepWorker(testEnv.sweepPorts(queues), testEnv.now)(
    { task: "watch" },
    { getRemainingTimeInMillis: () => 50 * SECOND },
  );
const findings = () => testEnv.lines.filter(({ event }) => event !== "worker.completed");

it("a check that finds all dead letter queues empty and the key enabled reports nothing", async () => {
  await watch();
  expect(findings()).toEqual([]);
  expect(testEnv.lines).toHaveLength(1);
});

it("a check quarantines what is in each dead letter queue, which is then empty", async () => {
  await send(`${queues.inbound}-dead`);
  await send(`${queues.profiles}-dead`);
  await send(`${queues.profiles}-dead`);
  await send(queues.events);
  await watch();
  const quarantined = findings().map((line) => line.event === "dead_letter.quarantined" && line.queue);
  expect(quarantined.toSorted()).toEqual(["Inbound", "Profiles", "Profiles"]);
  testEnv.lines.length = 0;
  testEnv.advance(5 * MINUTE);
  await watch();
  expect(findings()).toEqual([]);
});

it("a check of the one dead letter queue of all queues reads it once", () => {
  const dead = `${queues.inbound}-dead`;
  const byQueue = JSON.stringify(Object.fromEntries(queueNames.map((name) => [name, dead])));
  expect([...deadLetterQueueUrlSettings({ [env.deadLetterQueueUrls]: byQueue })]).toEqual([["all", dead]]);
});

it("a check reports each queue of background work that has messages which no worker received", async () => {
  await send(queues.profiles);
  await send(queues.mails);
  await send(queues.events);
  await testEnv.eventSource.send(new ReceiveMessageCommand({ QueueUrl: queues.mails }));
  await watch();
  expect(findings()).toEqual([{ event: "queue.waiting", queue: "Profiles", messages: 1 }]);
});

it("a check fails when a queue does not exist, and reports the key nevertheless", async () => {
  await testEnv.disableKey();
  queues = await testEnv.newQueues();
  await expect(watch()).rejects.toThrow(/does not exist/);
  expect(findings()).toContainEqual({ event: "key.unusable", state: "Disabled" });
});

it("a check reports a key that is disabled until it is enabled", async () => {
  await testEnv.disableKey();
  await watch();
  expect(findings()).toEqual([{ event: "key.unusable", state: "Disabled" }]);
  await testEnv.enableKey();
  testEnv.lines.length = 0;
  await watch();
  expect(findings()).toEqual([]);
});
