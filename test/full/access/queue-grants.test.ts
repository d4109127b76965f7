import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { env, queues } from "#base/config/names.ts";
import { readRecords } from "../../e2e/support/access/access-records.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { openedOnce } from "../../support/opened.ts";

const stack = openedOnce(() => startLocalStack());

const environment = () =>
  JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")) as Record<string, string>;

async function sendToAll(queueUrls: readonly string[]): Promise<void> {
  const sqs = new SQSClient(clientSettings(environment()));
  for (const QueueUrl of queueUrls) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"v":99}' }));
  sqs.destroy();
}

/** The grants on the queues whose names end so, which no worker has used: of dead-letter queues the sweep, of others not. */
function unusedGrants(end: "Queue" | "DeadLetterQueue", actions: readonly string[]): string[] {
  const { granted, used } = readRecords([stack.dataDir]);
  const named = queues.flatMap((queue) => actions.map((action) => ` sqs:${action} ${queue}${end}`));
  return [...granted].filter(
    (grant) =>
      named.some((each) => grant.endsWith(each)) &&
      grant.startsWith("Sweep ") === (end === "DeadLetterQueue") &&
      !used.has(grant),
  );
}

it("the worker of each queue may ask for an unreadable message again, and the sweep stores those of the dead-letter queues", async () => {
  const variables = environment();
  const queueUrls = Object.entries(variables).flatMap(([name, url]) => (name.endsWith("_QUEUE_URL") ? url : []));
  const deadLetterUrls = JSON.parse(variables[env.deadLetterQueueUrls] ?? "{}") as Record<string, string>;
  const urls = [...queueUrls, ...Object.values(deadLetterUrls)];
  expect(new Set(urls).size).toBe(2 * queues.length);
  await sendToAll(urls);
  const unused = () => [
    ...unusedGrants("Queue", ["ReceiveMessage", "GetQueueAttributes", "GetQueueUrl", "ChangeMessageVisibility"]),
    ...unusedGrants("DeadLetterQueue", ["ReceiveMessage", "DeleteMessage"]),
  ];
  // A worker that had no time left to ask for its messages again gets them after the visibility timeout.
  const unusedLater = async (): Promise<string[]> => {
    await stack.clock("PT4M");
    return unused();
  };
  await expect.poll(unusedLater, { timeout: 180_000, interval: 5_000 }).toEqual([]);
  const { granted } = readRecords([stack.dataDir]);
  expect([...granted].filter((grant) => grant.includes(" sqs:ReceiveMessage "))).toHaveLength(2 * queues.length);
}, 240_000);
