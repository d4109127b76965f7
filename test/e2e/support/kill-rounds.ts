import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createTestWebhook, listAllMessages } from "./api-calls.ts";
import { failureLines } from "./emulator-journals.ts";
import { type LocalStack, newDataDir, startLocalStack } from "./local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "./platform-webhooks.ts";
import { waitFor } from "./wait-for.ts";
import {
  groupByMessage,
  openReceiver,
  type ReceivedDelivery,
  type ReceiverResponse,
  type WebhookEvent,
} from "./webhook-receiver.ts";

/** The state after a stack was killed repeatedly under traffic. */
export interface KillResult {
  /** The ids of the messages whose webhook was answered with 200 in any round. */
  readonly acceptedIds: ReadonlySet<string>;
  /** The ids in `GET /v1/messages`, duplicates included. */
  readonly listedIds: readonly string[];
  /** All deliveries of `message.received` by message id. */
  readonly deliveriesByMessage: ReadonlyMap<string, readonly ReceivedDelivery[]>;
  /** The failed records and dead letters of the last run. */
  readonly failures: readonly string[];
}

export interface KillSettings {
  readonly rounds: number;
  /** The receiver's response status. Default: 200. */
  readonly respond?: (event: WebhookEvent, nth: number) => ReceiverResponse;
}

const SENDERS = 4;

/**
 * Sends signed messages from several senders at once, kills the stack with SIGKILL at a random moment (every other time
 * with its engine) and restarts it on the same data. After the last round, waits until all accepted messages are
 * delivered with 200.
 */
export async function runKillRounds({ rounds, respond }: KillSettings): Promise<KillResult> {
  const dataDir = newDataDir();
  const receiver = await openReceiver();
  if (respond) receiver.respondWith(respond);
  const acceptedIds = new Set<string>();
  let stack: LocalStack | undefined;
  try {
    for (let round = 0; round < rounds; round++) {
      stack = await startLocalStack({ dataDir });
      if (round === 0) await createTestWebhook(stack, receiver.url);
      await sendAndKill(stack, acceptedIds, round);
    }
    stack = await startLocalStack({ dataDir });
    await waitUntilDelivered(stack, () => isEveryDelivered(acceptedIds, receiver.deliveries));
    const listedIds = (await listAllMessages(stack)).map(({ id }) => id);
    const deliveriesByMessage = groupByMessage(receiver.deliveries, "message.received");
    return { acceptedIds, listedIds, deliveriesByMessage, failures: failureLines(stack.log()) };
  } finally {
    await stack?.stop();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function sendAndKill(stack: LocalStack, acceptedIds: Set<string>, round: number): Promise<void> {
  const before = acceptedIds.size;
  const killAfter = randomInt(8, 40);
  const controller = new AbortController();
  const senders = Array.from({ length: SENDERS }, () => sendUntilAborted(stack, acceptedIds, controller.signal));
  await waitFor("some messages are accepted", () => acceptedIds.size >= before + killAfter, { everyMs: 1 });
  await wait(randomInt(0, 150));
  await stack.kill(round % 2 === 0);
  controller.abort();
  await Promise.all(senders);
}

/** Sends until it is stopped. A message without a response when the stack died may be stored or not. */
async function sendUntilAborted(stack: LocalStack, acceptedIds: Set<string>, signal: AbortSignal): Promise<void> {
  const person = newPersonId();
  while (!signal.aborted) {
    const mid = newMessageId();
    const entry = textEntry(demoAccountIds.messenger, person, mid, `text of ${mid}`, Date.now());
    const answer = await postWebhook(stack, "page", [entry]).catch(() => null);
    if (answer === null) return;
    if (answer.status === 200) acceptedIds.add(mid);
  }
}

/**
 * Advances the clock to the next retries and to the end of a dead worker's lease. It must not advance faster than the
 * work in progress: messages whose visibility timeout expires repeatedly correctly become dead letters.
 */
async function waitUntilDelivered(stack: LocalStack, isComplete: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt++) {
    const completed = await waitFor("this turn's work", isComplete, { seconds: 2 }).catch(() => false);
    if (completed) return;
    await stack.clock("PT2M");
  }
  throw new Error(`Not all accepted messages are delivered. ${failureLines(stack.log()).join("\n")}`);
}

function isEveryDelivered(acceptedIds: ReadonlySet<string>, received: readonly ReceivedDelivery[]): boolean {
  const deliveredIds = received.filter(({ status }) => status === 200).map(({ event }) => event.data.message.id);
  return missingFrom(new Set(deliveredIds), acceptedIds).length === 0;
}

/** The expected ids that are missing from `actual`. */
export function missingFrom(actual: ReadonlySet<string>, expected: Iterable<string>): string[] {
  return [...expected].filter((id) => !actual.has(id));
}

/** Whether the receiver rejects a message's first delivery: true for about half of the messages. */
export function failsFirst(mid: string): boolean {
  return mid.charCodeAt(5) % 2 === 0;
}
