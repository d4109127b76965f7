import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it, onTestFinished } from "vitest";
import { env, type QueueName } from "#base/config/names.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { commandRights, type Rights } from "../../../lib/config/operator-rights.ts";
import { PROJECT } from "../../docs/markdown.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { mediaFiles } from "../../support/files/media-files.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSocket } from "../../support/sockets/test-socket.ts";
import { createTestWebhook, personWrites } from "../support/api-calls.ts";
import { readTable, restoreTable } from "../support/dump-table.ts";
import { readQueues, waitUntilIdle } from "../support/emulator-journals.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";
import { upload } from "../uploads/upload-client.ts";
import { sometimesUnused, unusedRights } from "./unused-rights.ts";

// The calls to AWS that each command makes on the local stack need no other right than the policy for operators has, and it has
// none that no call needs. Those of `doctor`, which asks services that the local stack has not, are compared in its own test.

const stack = openedOnce(startLocalStack);

/** The rights of a command, each as `dynamodb:Query GS1`. That the page has the same is a test of the templates. */
function rightsOf(command: string): Set<string> {
  const rights: Rights = commandRights[command as keyof typeof commandRights];
  return new Set(Object.entries(rights).flatMap(([target, actions]) => actions.map((action) => `${action} ${target}`)));
}

/** The calls of each command, of all its runs. */
const calls = new Map<string, Set<string>>();

/** Runs a command, and moves the clock until it ends. @returns its output */
async function run(name: string, ...args: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "parley-rights-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "calls");
  writeFileSync(file, "");
  const program = runProgram("bin/admin", [...name.split(" "), ...args], {
    PARLEY_DATA: stack.dataDir,
    RECORDED_CALLS: file,
    NODE_OPTIONS: `--import ${join(PROJECT, "test/e2e/guides/record-calls.ts")}`,
  });
  let code: number | null | undefined;
  void program.exitCode.then((ended) => {
    code = ended;
  });
  while (code === undefined) {
    await Promise.race([program.exitCode, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    // The second pass of a deletion starts three minutes later, and a restore reads the histories after minutes.
    if (code === undefined && /Pass|erasure|Restoring/.test(program.output() + program.errors()))
      await stack.clock("PT3M1S");
  }
  expect([name, code, code === 0 ? "" : program.errors()]).toEqual([name, 0, ""]);
  const used = [...new Set(readFileSync(file, "utf8").trim().split("\n"))].sort();
  expect([name, used.length > 0]).toEqual([name, true]);
  calls.set(name, new Set([...(calls.get(name) ?? []), ...used]));
  return program.output();
}

const receiver = openedOnce(openReceiver);

/** Sends messages to the dead letter queue of their queue, as SQS does after ten receives, and waits until they are stored. */
async function deadLetter(messages: readonly (readonly [QueueName, string])[]): Promise<void> {
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")) as Record<
    string,
    string
  >;
  const urls = JSON.parse(environment[env.deadLetterQueueUrls] ?? "{}") as Record<QueueName, string>;
  const sqs = new SQSClient(clientSettings(environment));
  for (const [queue, body] of messages) {
    await sqs.send(new SendMessageCommand({ QueueUrl: urls[queue], MessageBody: body }));
  }
  sqs.destroy();
  // The sweep reads the dead letter queues every five minutes.
  await stack.clock("PT5M");
  const count = () => stack.log().split(`"event":"dead_letter.quarantined"`).length - 1;
  await waitFor("the dead letters", () => count() >= messages.length);
}

/** A delivery whose attempt is a dead letter, two events that are over, and a webhook that no worker can read. */
async function makeDeadLetters(): Promise<void> {
  const hook = await createTestWebhook(stack, receiver.url, ["message.received"]);
  receiver.respondWith(() => ({ status: 503 }));
  const conversationId = await personWrites(stack, "messenger", "Dora Dead");
  const queued = () => [...readQueues(stack.dataDir).values()].flat().map(({ body }) => body);
  const attempt = await waitFor("the retry is queued", () => queued().find((text) => text.includes(hook.id)));
  const eventUlid = newUlid(await stack.now());
  const position = `${String(await stack.now()).padStart(13, "0")}#${eventUlid}`;
  const event = {
    tenant: "demo" as TenantId,
    eventUlid,
    type: "message.received",
    repeated: false,
    test: false,
  } as const;
  await deadLetter([
    ["Deliveries", attempt],
    ["Events", encodeEvent({ ...event, source: { conversationId, position } })],
    ["Events", encodeEvent({ ...event, type: "account.recovered", source: null })],
    ["Inbound", "unreadable"],
  ]);
  // The retries of the delivery end.
  receiver.respondWith(() => ({ status: 200 }));
}

/** A message with a file. @returns the conversation */
async function newUpload(): Promise<string> {
  const conversation = await personWrites(stack, "messenger", "Uma Upload");
  const image = { filename: "a.png", contentType: "image/png", bytes: mediaFiles["image/png"]() } as const;
  expect(await upload(stack, conversation, image)).toMatchObject({ status: "ready" });
  return conversation;
}

/** Puts the table back to before an erasure and a deletion of a tenant, which a restore makes again. */
async function restoreWithActs(): Promise<void> {
  const conversation = await newUpload();
  await waitUntilIdle(stack, 60);
  const from = await stack.now();
  const rows = await readTable(stack);
  expect((await stack.api("DELETE", `/v1/conversations/${encodeURIComponent(conversation)}`)).status).toBe(200);
  await run("tenant delete", "globex", "--confirm", "globex");
  await waitUntilIdle(stack, 60);
  await restoreTable(stack, rows);
  await run("restore", "--from", new Date(from).toISOString());
}

/** What ends with all keys and with the tenant: an open socket and a file. */
async function uploadAndListen(): Promise<void> {
  await newUpload();
  const headers = { authorization: `Bearer ${stack.info.live_key}` };
  const { body } = await stack.request("/v1/realtime/ticket", { method: "POST", headers });
  const { ticket, url } = body.data as unknown as { readonly ticket: string; readonly url: string };
  const socket = await openSocket(`${url}?ticket=${ticket}`);
  onTestFinished(() => socket.terminate());
  await stack.clock("PT3S");
  await socket.next((text) => text.includes('"hello"'));
}

it("the calls of each command need the rights that the policy for operators has for it, and no others", async () => {
  const idIn = (output: string) => /^id: (\S+)$/m.exec(output)?.[1] ?? "";
  await run("tenant create", "globex", "--owner", "first@example.com");
  await run("tenant invite-owner", "globex", "second@example.com");
  await run("sign-in-link", "second@example.com");
  const key = idIn(await run("key create", "--tenant", "globex", "--scope", "live"));
  await run("key list", "--tenant", "globex");
  await run("tenant suspend", "globex");
  await run("tenant resume", "globex");
  await run("key revoke", key, "--tenant", "globex");
  const operatorKey = idIn(await run("operator-key create", "--tenants", "globex,demo"));
  await run("operator-key list");
  await run("operator-key revoke", operatorKey);
  await run("migrate");
  await makeDeadLetters();
  const { dead_letters: letters } = JSON.parse(await run("dlq list", "--json")) as { dead_letters: { id: string }[] };
  expect(letters).toHaveLength(4);
  for (const { id } of letters) await run("dlq explain", id);
  await run("dlq redrive", "--queue", "Deliveries");
  await run("smoke");
  // Keys of the root secret before stay valid.
  await run("rotate root");
  await restoreWithActs();
  await uploadAndListen();
  await run("rotate verify-token");
  await stack.clock("PT1H");
  // A pending invite, which a leak ends.
  await run("tenant invite-owner", "demo", "third@example.com");
  await run("rotate root", "--force");
  await run("rotate root", "--leaked");
  await run("tenant delete", "demo", "--confirm", "demo");
  const unnamed: string[] = [];
  const unused: string[] = [];
  for (const [name, used] of calls) {
    const rights = rightsOf(name);
    unnamed.push(...[...used].filter((call) => !isNamed(rights, call)).map((call) => `${name}: ${call}`));
    const spared = [...rights].filter((right) => !isUsed(used, right)).map((right) => `${name}: ${right}`);
    unused.push(...spared.filter((right) => !sometimesUnused.has(right)));
  }
  expect([...calls.keys()].sort()).toEqual(
    Object.keys(commandRights)
      .filter((name) => name !== "doctor")
      .sort(),
  );
  const argued = unusedRights.flatMap(({ rights }) => rights);
  expect({ unnamed, unused: unused.sort() }).toEqual({ unnamed: [], unused: argued.toSorted() });
});

/** Of a redrive, whose right is for each queue. */
const anyQueue = (call: string) => call.replace(/^(sqs:\S+) \w+$/, "$1 queues");
const isNamed = (rights: ReadonlySet<string>, call: string) => rights.has(call) || rights.has(anyQueue(call));
const isUsed = (used: ReadonlySet<string>, right: string) =>
  used.has(right) || [...used].some((call) => anyQueue(call) === right);
