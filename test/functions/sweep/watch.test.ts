import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDepths } from "#base/aws/depths.ts";
import { env, queues as queueNames } from "#base/config/names.ts";
import { deadLetterQueueUrlSettings } from "#base/config/settings.ts";
import { SECOND } from "#base/kernel/time.ts";
import { reportWaitingLetters } from "#features/dead-letters/flows/report-waiting.ts";
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

it("a check reports each dead letter queue that has messages, also those that are being received", async () => {
  await send(`${queues.inbound}-dead`);
  await send(`${queues.profiles}-dead`);
  await send(`${queues.profiles}-dead`);
  await send(queues.events);
  await testEnv.eventSource.send(new ReceiveMessageCommand({ QueueUrl: `${queues.profiles}-dead` }));
  await watch();
  expect(findings()).toEqual([
    { event: "dead_letters.waiting", queue: "Inbound", messages: 1 },
    { event: "dead_letters.waiting", queue: "Profiles", messages: 2 },
  ]);
});

it("a check counts the one dead letter queue of all queues once", async () => {
  const dead = `${queues.inbound}-dead`;
  const byQueue = JSON.stringify(Object.fromEntries(queueNames.map((name) => [name, dead])));
  const urls = deadLetterQueueUrlSettings({ [env.deadLetterQueueUrls]: byQueue });
  expect([...urls]).toEqual([["all", dead]]);
  await send(dead);
  const deadLetterQueues = openDepths(urls, testEnv.eventSource);
  await reportWaitingLetters({ deadLetterQueues, log: (line) => void testEnv.lines.push(line) });
  expect(findings()).toEqual([{ event: "dead_letters.waiting", queue: "all", messages: 1 }]);
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
