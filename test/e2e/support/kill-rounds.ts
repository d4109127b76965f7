import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { failuresIn } from "./journals.ts";
import { newDataDir, type RunningLocal, startLocal } from "./local-stack.ts";
import { accountIds, inbound, newMid, newPerson, textEntry } from "./platform.ts";
import { until } from "./poll.ts";
import { allMessages, createHook } from "./read-all.ts";
import { byMessage, openReceiver, type Received, type Verdict, type WebhookEvent } from "./receiver.ts";

/** What is left after a stack was killed again and again under traffic. */
export interface Survived {
  /** The ids of the messages whose webhook was answered 200, in any round. */
  readonly accepted: ReadonlySet<string>;
  /** The ids in `GET /v1/messages`, as often as they are there. */
  readonly listed: readonly string[];
  /** All deliveries of `message.received` by message id. */
  readonly delivered: ReadonlyMap<string, readonly Received[]>;
  /** Records that failed and dead letters of the last run. */
  readonly failures: readonly string[];
}

export interface KillSettings {
  readonly rounds: number;
  /** How the receiver answers; 200 when not given. */
  readonly judge?: (event: WebhookEvent, nth: number) => Verdict;
}

const SENDERS = 4;

/**
 * Sends signed messages from several senders at once, kills the stack with SIGKILL at a random moment in between, every
 * other time with its engine, and starts it on the same data; after the last round waits until all that was accepted
 * is delivered with 200.
 */
export async function surviveKills({ rounds, judge }: KillSettings): Promise<Survived> {
  const dataDir = newDataDir();
  const receiver = await openReceiver();
  if (judge) receiver.answer(judge);
  const accepted = new Set<string>();
  let stack: RunningLocal | undefined;
  try {
    for (let round = 0; round < rounds; round++) {
      stack = await startLocal({ dataDir });
      if (round === 0) await createHook(stack, receiver.url);
      await sendAndKill(stack, accepted, round);
    }
    stack = await startLocal({ dataDir });
    await untilDelivered(stack, () => isDelivered(accepted, receiver.received));
    const listed = (await allMessages(stack)).map(({ id }) => id);
    const delivered = byMessage(receiver.received, "message.received");
    return { accepted, listed, delivered, failures: failuresIn(stack.log()) };
  } finally {
    await stack?.stop();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function sendAndKill(stack: RunningLocal, accepted: Set<string>, round: number): Promise<void> {
  const before = accepted.size;
  const killAfter = randomInt(1, 40);
  const stopping = new AbortController();
  const senders = Array.from({ length: SENDERS }, () => send(stack, accepted, stopping.signal));
  await until("some messages are accepted", () => accepted.size >= before + killAfter, { everyMs: 1 });
  await wait(randomInt(0, 150));
  await stack.kill(round % 2 === 1);
  stopping.abort();
  await Promise.all(senders);
}

/** Sends until it is told to stop. What had no answer when the stack died may be there or not. */
async function send(stack: RunningLocal, accepted: Set<string>, signal: AbortSignal): Promise<void> {
  const person = newPerson();
  while (!signal.aborted) {
    const mid = newMid();
    const entry = textEntry(accountIds.messenger, person, mid, `text of ${mid}`, Date.now());
    const answer = await inbound(stack, "page", [entry]).catch(() => null);
    if (answer === null) return;
    if (answer.status === 200) accepted.add(mid);
  }
}

/**
 * Brings on what waits for a later attempt, or for the end of a dead worker's lease. Not so fast that work under way
 * outlives its message's time with a worker again and again: that would end in the dead letters, and rightly.
 */
async function untilDelivered(stack: RunningLocal, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    const inTime = await until("this turn's work", isDone, { seconds: 2 }).catch(() => false);
    if (inTime) return;
    await stack.clock("PT2M");
  }
  throw new Error(`Not all that was accepted is delivered. ${failuresIn(stack.log()).join("\n")}`);
}

function isDelivered(accepted: ReadonlySet<string>, received: readonly Received[]): boolean {
  const done = received.filter(({ status }) => status === 200).map(({ event }) => event.data.message.id);
  return missingFrom(new Set(done), accepted).length === 0;
}

/** Those of `wanted` that are not among `there`. */
export function missingFrom(there: ReadonlySet<string>, wanted: Iterable<string>): string[] {
  return [...wanted].filter((one) => !there.has(one));
}

/** Whether the receiver of these tests refuses a message's first delivery: those of every other message. */
export function failsFirst(mid: string): boolean {
  return mid.charCodeAt(5) % 2 === 0;
}
