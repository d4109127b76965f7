import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDynoxide } from "#local-aws/dynamodb/programs.ts";
import { listAllMessages, listDeliveries } from "../../e2e/support/api-calls.ts";
import { failureLines, readQueues } from "../../e2e/support/emulator-journals.ts";
import { type LocalStack, newDataDir, startLocalStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openReceiver, type Receiver } from "../../e2e/support/webhook-receiver.ts";
import { listPaths, openPaths } from "../../support/access/file-modes.ts";

/**
 * The data folder of a local stack of version 0.1.0, killed while it worked: a conversation with two replies, a webhook
 * endpoint that had answered 500 to the events of both replies, and messages in each of the five queues.
 */
interface StoredFolder {
  /** The stack's clock when it was killed. */
  readonly now: number;
  readonly conversation: string;
  /** A conversation whose erasure had completed its first pass. */
  readonly erased: string;
  /** Endpoint ids. */
  readonly healthy: string;
  readonly failing: string;
  /** The texts of the messages whose webhook was answered with 200 just before the kill. */
  readonly accepted: readonly string[];
  /** Base64 by path. */
  readonly files: Readonly<Record<string, string>>;
}

const FIXTURE = new URL("../../fixtures/data-folder-0.1.0.json.gz", import.meta.url);
const REPLIES = ["A reply whose delivery fails", "A second reply whose delivery fails"];

const stored = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString()) as StoredFolder;
const dataDir = newDataDir();
let stack: LocalStack;
let receiver: Receiver;
let unpackedQueues: ReturnType<typeof readQueues>;

// The table's file is dynoxide's.
describe.runIf(findDynoxide() !== null)("a data folder written by version 0.1.0", () => {
  beforeAll(async () => {
    unpack();
    receiver = await openReceiver();
    stack = await startLocalStack({ dataDir });
    // The earlier address of the endpoint has no listener now.
    for (const id of [stored.healthy, stored.failing]) {
      const { status } = await stack.api("PATCH", `/v1/webhooks/${id}`, { url: `${receiver.url}/${id}` });
      expect(status).toBe(200);
    }
  });
  afterAll(async () => {
    await Promise.all([stack?.stop(), receiver?.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("a data folder written by version 0.1.0 has its access key now, and all of it is its owner's alone", () => {
    expect(openPaths(dataDir)).toEqual([]);
    expect(listPaths(dataDir)).toContain(join(dataDir, "aws-credentials"));
    expect(Object.keys(stored.files)).not.toContain("aws-credentials");
  });

  it("a data folder written by version 0.1.0 has a message in each of the five queues, or the tests below would prove nothing", () => {
    const queued = waitingIn(unpackedQueues);
    expect(queued).toEqual(["Deliveries", "Erasures", "Events", "Inbound", "Profiles"]);
  });

  it("a data folder written by version 0.1.0 gets the queues that later versions added", () => {
    for (const queue of ["SlowDeliveries", "Mails", "Uploads", "Accounts", "Realtime"]) {
      const names = [...readQueues(dataDir).keys()].filter((name) => name.startsWith(`ParleyService-${queue}`));
      expect([queue, names.length]).toEqual([queue, 2]);
    }
  });

  it("a data folder written by version 0.1.0 shows its conversation with every message", async () => {
    const path = `/v1/conversations/${encodeURIComponent(stored.conversation)}`;
    const { status, body } = await stack.api("GET", path);
    expect(status).toBe(200);
    const texts = body.data.messages.map(({ text }) => text);
    expect(texts.sort()).toEqual([...REPLIES, "The first message", "The second message", "The third message"].sort());
  });

  it("a data folder written by version 0.1.0 has its queued messages processed and its waiting retries delivered, each once", async () => {
    // After the visibility timeouts of the messages in flight, and after the later of the two retries.
    for (const duration of ["PT10M", "PT3H", "PT10M"]) await stack.clock(duration);
    const texts = await waitFor("the accepted messages are listed", async () => {
      const all = (await listAllMessages(stack)).map(({ text }) => text);
      return stored.accepted.every((text) => all.includes(text)) ? all : undefined;
    });
    expect(stored.accepted.filter((text) => texts.indexOf(text) !== texts.lastIndexOf(text))).toEqual([]);

    await waitFor("the retries are delivered", async () => {
      const rows = await listDeliveries(stack, stored.failing);
      return rows.length === REPLIES.length && rows.every(({ status }) => status === "delivered");
    });
    expect(receivedTexts("message.sent")).toEqual([...REPLIES].sort());
    await waitFor("the events of the accepted messages are delivered", () =>
      stored.accepted.every((text) => receivedTexts("message.received").includes(text)),
    );
  });

  it("a data folder written by version 0.1.0 has nothing left in its queues after the last pass of the erasure, and no failure", async () => {
    await stack.clock("P1D");
    await waitFor("the queues are empty", () => waitingIn(readQueues(dataDir)).length === 0);
    const { status } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(stored.erased)}`);
    expect(status).toBe(404);
    expect(failureLines(stack.log())).toEqual([]);
  });
});

/** Writes the folder with its clock at the moment of the kill, so that its data has not expired. */
function unpack(): void {
  for (const [path, content] of Object.entries(stored.files)) {
    mkdirSync(dirname(join(dataDir, path)), { recursive: true });
    writeFileSync(join(dataDir, path), Buffer.from(content, "base64"));
  }
  writeFileSync(join(dataDir, "clock.json"), JSON.stringify({ offset_ms: stored.now - Date.now() }));
  unpackedQueues = readQueues(dataDir);
}

/** The names of the queues that hold a message, dead letter queues included. */
function waitingIn(queues: ReturnType<typeof readQueues>): string[] {
  const names = [...queues].filter(([, messages]) => messages.length > 0).map(([name]) => name);
  return names.map((name) => name.replace(/^ParleyService-(\w+?)Queue[0-9A-F]{8}$/, "$1")).sort();
}

/** The message texts of the events of one type that were answered with 200. */
function receivedTexts(type: string): string[] {
  return receiver.deliveries
    .filter(({ event }) => event.type === type)
    .map(({ event }) => event.data.message.text)
    .sort();
}
