import { rmSync } from "node:fs";
import { createTestWebhook } from "../../e2e/support/api-calls.ts";
import { readTable } from "../../e2e/support/dump-table.ts";
import { newDataDir } from "../../e2e/support/local-stack.ts";
import { checkEvents, checkMessages } from "./check-messages.ts";
import { checkErasures, checkUnfinished } from "./check-rest.ts";
import { checkSendEvents, checkSends } from "./check-sends.ts";
import { type Counts, checkCounters, countersIn } from "./counters.ts";
import { gatherEvidence } from "./evidence.ts";
import { type KilledStack, killedStack } from "./killed-stack.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { type Connection, converse, converseAndErase, newPerson, type Person, receiveHeld } from "./people.ts";
import { openPlatform, type Platform } from "./platform.ts";
import { seededRandom } from "./random.ts";
import { manners, openReceivers } from "./receivers.ts";
import type { Agent } from "./sends.ts";
import { advanceClock, deliverWebhooks, settle } from "./settle.ts";

export interface SoakResult {
  readonly ledger: Ledger;
  /** Empty when every check passed. */
  readonly violations: readonly string[];
  /** What the counters gained with messages after the last kill. */
  readonly gained: Counts;
}

/** How many people there are of each kind, and where they write. */
const conversing: readonly Connection[] = ["messenger", "messenger", "instagram_login", "instagram_login", "messenger"];
const held: readonly Connection[] = ["messenger", "instagram_login"];
const erased: readonly Connection[] = ["messenger", "messenger"];

/** Messages after the last kill, whose counts are exact. */
export const COUNTED_MESSAGES = 20;

/**
 * Runs traffic on a local stack that is killed and started again on its data, then lets it finish and compares its data
 * with what was recorded outside it. The seed repeats the choices; the moments also depend on the machine.
 */
export async function runSoak({ seconds, seed }: { seconds: number; seed: number }): Promise<SoakResult> {
  const dataDir = newDataDir();
  const ledger = newLedger();
  const receivers = await openReceivers(ledger, seededRandom(seed + 1));
  let platform: Platform | null = null;
  let isComplete = false;
  const stack: KilledStack = killedStack(ledger, { dataDir, env: () => platform?.environment ?? {} });
  platform = await openPlatform(ledger, stack.url);
  try {
    await stack.start();
    const endpointIds: string[] = [];
    for (const manner of manners) {
      const { id } = await createTestWebhook(stack.running(), receivers.url(manner));
      receivers.setEndpoint(manner, id);
      endpointIds.push(id);
    }
    await runTraffic({ stack, platform, ledger }, { seconds, seed });
    receivers.recover();
    await settle(stack, platform);
    await platform.recordLeftMessages();
    const evidence = await gatherEvidence(stack, ledger, endpointIds);
    const checks = [
      checkMessages,
      checkEvents,
      checkSends,
      checkSendEvents,
      checkErasures,
      checkUnfinished,
      checkCounters,
    ];
    const violations = checks.flatMap((check) => check(evidence));
    const before = countersIn(evidence.items, endpointIds);
    await writeCountedMessages({ stack, platform, ledger }, seed);
    const after = countersIn(await readTable(stack.running()), endpointIds);
    const gained = {
      messages: after.messages - before.messages,
      delivered: Object.fromEntries(
        endpointIds.map((id) => [id, (after.delivered[id] ?? 0) - (before.delivered[id] ?? 0)]),
      ),
    };
    isComplete = violations.length === 0;
    return { ledger, violations, gained };
  } finally {
    await stack.stop();
    await platform.close();
    await receivers.close();
    if (isComplete) rmSync(dataDir, { recursive: true, force: true });
    else process.stdout.write(`The data of the failed run is in ${dataDir}.\n`);
  }
}

type Parts = Pick<Agent, "stack" | "platform" | "ledger">;

async function runTraffic(parts: Parts, { seconds, seed }: { seconds: number; seed: number }): Promise<void> {
  let over = false;
  let seeds = seed + 100;
  const newAgent = (): Agent => ({ ...parts, random: seededRandom(seeds++), isOver: () => over });
  const people = async (connections: readonly Connection[]): Promise<[Agent, Person][]> =>
    await Promise.all(
      connections.map(async (connection): Promise<[Agent, Person]> => {
        const agent = newAgent();
        return [agent, await newPerson(agent, connection)];
      }),
    );
  const waiting = await people(held);
  await deliverWebhooks(parts.platform);
  await advanceClock(parts.stack, parts.platform, "PT25H");
  const [talking, leaving] = [await people(conversing), await people(erased)];
  const work = Promise.all([
    ...talking.map(([agent, person]) => converse(agent, person)),
    ...leaving.map(([agent, person]) => converseAndErase(agent, person)),
    ...waiting.map(([agent, person]) => receiveHeld(agent, person)),
  ]);
  try {
    // A failure of an actor ends the test at once, and not after the last kill.
    const kills = parts.stack.killUntil(Date.now() + seconds * 1_000, seededRandom(seed));
    await Promise.race([kills, work.then(() => kills)]);
    await kills;
  } finally {
    over = true;
  }
  await work;
  await parts.platform.control("POST", "/faults", { mode: "none" });
}

async function writeCountedMessages(parts: Parts, seed: number): Promise<void> {
  const agent = { ...parts, random: seededRandom(seed), isOver: () => false };
  const person = await newPerson(agent, "messenger");
  for (let i = 1; i < COUNTED_MESSAGES; i++) await person.write();
  await settle(parts.stack, parts.platform);
}
