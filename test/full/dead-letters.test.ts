import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { type AdminRun, runAdmin } from "../e2e/support/admin.ts";
import { createTestWebhook, listDeliveries } from "../e2e/support/api-calls.ts";
import { readQueues } from "../e2e/support/emulator-journals.ts";
import { openSharedStack } from "../e2e/support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openReceiver } from "../e2e/support/webhook-receiver.ts";
import { clientSettings } from "../support/access/access-keys.ts";
import { openedOnce } from "../support/opened.ts";

const CANARY = "canary-text-of-a-person";

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
const hook = openedOnce(() => createTestWebhook(stack, receiver.url, ["message.received"]));

interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly state: string;
  readonly description: string;
}

const runDlq = (...args: string[]): Promise<AdminRun> => runAdmin(stack.dataDir, "dlq", ...args);

async function runDlqJson<T>(code: number, ...args: string[]): Promise<T> {
  const { output, errors, code: ended } = await runDlq(...args, "--json");
  expect([ended, errors]).toEqual([code, ""]);
  expect(output).not.toContain(CANARY);
  return JSON.parse(output) as T;
}

const list = async (...args: string[]) =>
  (await runDlqJson<{ dead_letters: DeadLetter[] }>(0, "list", ...args)).dead_letters;

/** The environment variables of the functions, as the stack writes them for its commands. */
const environment = () =>
  JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")) as Record<string, string>;

/** Sends a message to the queue directly. */
async function send(queueUrl: string | undefined, body: string): Promise<void> {
  const sqs = new SQSClient(clientSettings(environment()));
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  sqs.destroy();
}

const countLogged = (event: string) => stack.log().split(`"event":"${event}"`).length - 1;

/** Advances the clock until message number `count` was received ten times and quarantined. */
async function waitUntilQuarantined(count: number): Promise<void> {
  for (let failures = 10 * count - 9; failures <= 10 * count; failures++) {
    await waitFor(`failure ${failures}`, () => countLogged("record.failed") >= failures);
    // Longer than the longest wait between two receives.
    await stack.clock("PT4M");
  }
  // The sweep reads the dead letter queues every five minutes.
  await stack.clock("PT5M");
  await waitFor(`dead letter ${count}`, () => countLogged("dead_letter.quarantined") >= count);
}

it("without dead letters, list and redrive say so", async () => {
  expect(await runDlq("list")).toMatchObject({ code: 0, output: "No dead letters.\n" });
  expect(await runDlq("redrive", "--all")).toMatchObject({ code: 0, output: "No dead letters to redrive.\n" });
});

it("an unreadable webhook is listed, explained with its log lines, and redriven", async () => {
  await send(environment()[env.inboundQueueUrl], `{"v":99,"of":"${CANARY}"}`);
  await waitUntilQuarantined(1);
  const [deadLetter] = await list();
  expect(deadLetter).toMatchObject({
    queue: "Inbound",
    state: "waiting",
    description: expect.stringContaining(", version 99, that its worker cannot read"),
  });
  const id = deadLetter?.id ?? "";
  const details = await runDlqJson<{ log: { function: string; message_id: string }; redrive: object }>(
    0,
    "explain",
    id,
  );
  expect(details).toMatchObject({
    inspection: { kind: "unreadable" },
    redrive: { action: "send" },
    log: { function: "Ingest" },
  });
  const failed = stack
    .log()
    .split("\n")
    .filter((line) => line.includes('"event":"record.failed"'));
  expect(failed).toHaveLength(10);
  for (const line of failed) {
    expect(JSON.parse(line)).toMatchObject({ message_id: details.log.message_id, error: "UnreadableRecord" });
  }

  expect(await runDlqJson(0, "redrive", "--queue", "inbound")).toMatchObject({ sent: 1, failed: 0 });
  expect(await list()).toEqual([]);
  expect(await list("--all")).toMatchObject([{ id, state: "redriven" }]);
  // The redriven message fails again and becomes another dead letter.
  await waitUntilQuarantined(2);
  expect(await list("--queue", "Inbound")).toMatchObject([{ queue: "Inbound", state: "waiting" }]);
});

it("a redriven attempt is delivered, and is redriven only once", async () => {
  receiver.respondWith(() => ({ status: 503 }));
  const at = await stack.now();
  await postWebhook(stack, "page", [textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), CANARY, at)]);
  const [retrying] = await waitFor("the first attempt failed", async () => {
    const rows = await listDeliveries(stack, hook.id);
    return rows.some(({ status }) => status === "retrying") && rows;
  });
  const queued = () => [...readQueues(stack.dataDir).values()].flat().map(({ body }) => body);
  const body = await waitFor("the retry is queued", () => queued().find((text) => text.includes(hook.id)));
  // As the queue does after ten failures of the worker.
  const urls = JSON.parse(environment()[env.deadLetterQueueUrls] ?? "{}") as Record<string, string>;
  await send(urls.Deliveries, body);
  await stack.clock("PT5M");
  const rowOf = async () =>
    (await listDeliveries(stack, hook.id)).find((row) => row.delivery_id === retrying?.delivery_id);
  await waitFor("the delivery is dead-lettered", async () => (await rowOf())?.status === "dlq");

  const [deadLetter] = await list("--queue", "deliveries");
  const id = deadLetter?.id ?? "";
  const { attempt } = JSON.parse(body) as { attempt: number };
  expect(deadLetter?.description).toBe(`delivery attempt ${attempt} to endpoint ${hook.id} of tenant demo`);
  expect(await runDlqJson(0, "explain", id)).toMatchObject({
    inspection: { kind: "attempt", delivery_id: retrying?.delivery_id, delivery: { status: "dlq" }, body_stored: true },
    redrive: { action: "replay" },
  });
  const text = await runDlq("explain", id);
  expect(text.output).toContain("Redriving replays the delivery with a new set of attempts.");
  expect(text.output).not.toContain(hook.secret);

  receiver.respondWith(() => ({ status: 200 }));
  const both = await Promise.all([runDlq("redrive", id, "--json"), runDlq("redrive", id, "--json")]);
  const ends = both.map(({ output }) => JSON.parse(output) as { replayed: number; taken: number });
  expect(ends.map(({ replayed, taken }) => [replayed, taken]).sort()).toEqual([
    [0, 1],
    [1, 0],
  ]);
  await waitFor("it is delivered", async () => (await rowOf())?.status === "delivered");
  expect(receiver.deliveries.filter(({ event }) => event.data.message.text === CANARY).length).toBeGreaterThan(1);
  expect((await runDlq("redrive", id)).output).toContain("1 already redriven, or being redriven by another command");
});

it("invalid arguments print one line and exit with 1", async () => {
  const lines = [
    [["redrive"], "Missing selection. Name ids, --queue NAME or --all."],
    [["redrive", "--all", "--queue", "Inbound"], "Missing selection. Name ids, --queue NAME or --all."],
    [
      ["list", "--queue", "nothing"],
      "Unknown queue nothing. Use one of Inbound, Events, Deliveries, SlowDeliveries, Profiles, Erasures, Mails, Uploads, Accounts, Realtime.",
    ],
    [["list", "--limit", "0"], "Invalid --limit. Use an integer from 1 to 1000."],
    [
      ["explain", "01M7ZAN532DXZZ1TKP6RZ0YEPG"],
      "Dead letter 01M7ZAN532DXZZ1TKP6RZ0YEPG not found. Dead letters are stored for 7 days.",
    ],
    [["list", "all"], "Unexpected argument: all."],
    [["explain"], "Missing id. dlq list prints the ids."],
    [["bury"], "Unknown command: dlq bury. Did you mean dlq list?"],
  ] as const;
  for (const [args, expectedText] of lines) {
    const { code, output, errors } = await runDlq(...args);
    expect([args, code, output]).toEqual([args, 1, ""]);
    expect(errors).toContain(expectedText);
  }
  const unknown = ["01M7ZAN532DXZZ1TKP6RZ0YEPG", "x".repeat(2_000)];
  expect(await runDlqJson(1, "redrive", ...unknown)).toMatchObject({ unknown: 2, sent: 0 });
});
