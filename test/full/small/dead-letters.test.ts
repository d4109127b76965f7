import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { runAdmin } from "../../e2e/support/admin.ts";
import { readQueues } from "../../e2e/support/emulator-journals.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { openedOnce } from "../../support/opened.ts";

const stack = openedOnce(() => startLocalStack({ env: { PARLEY_SIZE: "small" } }));

it("dead letters of several queues in one dead-letter queue are listed and redriven by the queue that each is of", async () => {
  const variables = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const sqs = new SQSClient(clientSettings(variables));
  const sent = { Inbound: env.inboundQueueUrl, Erasures: env.erasuresQueueUrl, Realtime: env.realtimeQueueUrl };
  for (const name of Object.values(sent)) {
    await sqs.send(new SendMessageCommand({ QueueUrl: variables[name], MessageBody: `{"v":99}` }));
  }
  sqs.destroy();
  const count = (event: string) => stack.log().split(`"event":"${event}"`).length - 1;
  for (let receives = 1; receives <= 10; receives++) {
    await waitFor(`receive ${receives}`, () => count("record.failed") >= 3 * receives);
    // Longer than the longest wait between two receives.
    await stack.clock("PT4M");
  }
  // The sweep reads the dead letter queue every five minutes.
  await stack.clock("PT5M");
  await waitFor("all are quarantined", () => count("dead_letter.quarantined") >= 3);
  const list = async (...args: string[]) => {
    const { output } = await runAdmin(stack.dataDir, "dlq", "list", ...args, "--json");
    return (JSON.parse(output) as { dead_letters: { queue: string; state: string }[] }).dead_letters;
  };
  expect((await list()).map(({ queue }) => queue).sort()).toEqual(Object.keys(sent).sort());
  const names = [...readQueues(stack.dataDir).keys()].filter((name) => name.includes("DeadLetter"));
  expect(names).toEqual([expect.stringMatching(/^ParleyService-DeadLetterQueue/)]);

  const redriven = await runAdmin(stack.dataDir, "dlq", "redrive", "--queue", "erasures", "--json");
  expect(JSON.parse(redriven.output)).toMatchObject({ sent: 1, failed: 0, results: [{ queue: "Erasures" }] });
  // It is read by the worker of its own queue again.
  await waitFor("the redriven message failed", () => count("record.failed") >= 31);
  const failed = stack
    .log()
    .split("\n")
    .filter((line) => line.includes('"event":"record.failed"'));
  expect(JSON.parse(failed.at(-1) ?? "")).toMatchObject({ worker: "erase", error: "UnreadableRecord" });
});
