import { RECEIVES_MAX } from "#base/config/function-times.ts";
import { DAY, HOUR, type Millis } from "#base/kernel/time.ts";
import type { Lag } from "../support/world/table/storage.ts";
import { openActors } from "./actors/actors.ts";
import type { Queue } from "./cloud/queues.ts";
import { judgeAccess, judgeForbidden, judgeLinks, judgeRotations } from "./ledger/access.ts";
import { judgePublishedStatuses, judgeStatusEvents } from "./ledger/account-statuses.ts";
import { judgeConnections, judgeGone, judgeRoutes } from "./ledger/connections.ts";
import { judgeCounters, judgeExactCounters } from "./ledger/counters.ts";
import { judgeDeletions } from "./ledger/deletion.ts";
import { judgeAttempts, judgeDeliveries } from "./ledger/deliveries.ts";
import { judgeSubscriptions } from "./ledger/endpoints.ts";
import { judgeEndedErasures, judgeErasedTexts, judgeErasures } from "./ledger/erasure.ts";
import { type Evidence, observe } from "./ledger/evidence.ts";
import { judgeEndsOfRows, judgeHeldMessages, judgeHolders } from "./ledger/holders.ts";
import { judgeEvents, judgeInbox, judgeRows } from "./ledger/inbox.ts";
import { judgeIsolation, judgeTestSends } from "./ledger/isolation.ts";
import { judgeDeadLetters } from "./ledger/outages.ts";
import { judgeConnectedAccounts, judgeCustomerErasures, judgeDataDeletions } from "./ledger/platform-callbacks.ts";
import { judgeBlocks, judgePolicies } from "./ledger/policies.ts";
import { judgeQuarantine } from "./ledger/quarantine.ts";
import { judgeRawCopies } from "./ledger/raw-copies.ts";
import { judgeBudgets, judgeSendEvents, judgeSends, judgeWindows } from "./ledger/sending.ts";
import { judgeCutOff } from "./ledger/stream/access.ts";
import { judgeShownConversations } from "./ledger/stream/conversations.ts";
import { judgeErasedFrames, judgeFirstFrames, judgeFrameIds } from "./ledger/stream/frames.ts";
import { judgeMissed } from "./ledger/stream/missed.ts";
import type { History, Step } from "./steps/step.ts";
import { openWorld, type World } from "./world/open-world.ts";
import { NEIGHBOUR, NEIGHBOURS_PERSON } from "./world/people.ts";

type Judge = (evidence: Evidence) => string[];

/** What holds at every moment. It is judged after each step. */
const always: readonly Judge[] = [
  judgeRows,
  judgeEvents,
  judgeAttempts,
  judgeSends,
  judgeWindows,
  judgeBudgets,
  judgeErasedTexts,
  judgeEndedErasures,
  judgeCounters,
  judgeIsolation,
  judgeTestSends,
  judgeSubscriptions,
  judgeBlocks,
  judgeStatusEvents,
  judgeRoutes,
  judgeGone,
  judgeRawCopies,
  judgeForbidden,
  judgeAccess,
  judgeRotations,
  judgeLinks,
  judgeDeletions,
  judgeFirstFrames,
  judgeFrameIds,
  judgeErasedFrames,
  judgeCutOff,
];

/** What holds when nothing more happens. */
const inTheEnd: readonly Judge[] = [
  judgeInbox,
  judgeDeliveries,
  judgeQuarantine,
  judgeSendEvents,
  judgePolicies,
  judgePublishedStatuses,
  judgeConnections,
  judgeErasures,
  judgeExactCounters,
  judgeMissed,
  judgeShownConversations,
];

/** What holds at every moment of a history of accounts. */
const alwaysOfAccounts: readonly Judge[] = [judgeEvents, judgeAttempts, judgeHolders, judgeEndsOfRows, judgeRawCopies];

/** What holds when every check, backfill and deletion had its time, and messages are still stored. */
const settled: readonly Judge[] = [
  judgeHeldMessages,
  judgeDeadLetters,
  judgeConnectedAccounts,
  judgeDataDeletions,
  judgeCustomerErasures,
];

/** More than any step causes. */
const TICKS_MAX = 20_000;

/** Until the check after the next one, and what it has fetched. */
const SETTLING: Millis = 3 * DAY;

/**
 * Runs a history and lets the world come to rest.
 * @param onEvidence gets what was judged, each time
 * @returns what must not be, empty when all is well
 */
export async function runHistory(history: History, onEvidence?: (evidence: Evidence) => void): Promise<string[]> {
  const isOfAccounts = history.kind === "accounts";
  const world = await openWorld(history.seed, { isOfAccounts });
  try {
    const { engine } = world;
    const actors = openActors(world);
    const look = observe(world, history, actors.deeds);
    const judge = (judges: readonly Judge[], calmAt: number | null = null) => {
      const evidence = look(calmAt);
      if (evidence) onEvidence?.(evidence);
      return evidence ? judges.flatMap((each) => each(evidence)) : [];
    };
    const deeds: Promise<unknown>[] = [actors.createEndpoint()];
    if (
      isOfAccounts ||
      history.steps.some(
        ([step]) => step.do === "deleteTenant" || ("person" in step && step.person === NEIGHBOURS_PERSON),
      )
    )
      deeds.push(actors.createEndpoint(NEIGHBOUR));
    await engine.run(TICKS_MAX);
    // Without endpoints there would be no deliveries to judge.
    if (actors.deeds.endpoints.length < deeds.length) throw new Error("The first endpoint was refused.");
    for (const [index, [step, ticks]] of history.steps.entries()) {
      if (step.do === "wait") await pass(world, history, step.millis);
      else if (!changeWorld(world, actors.deeds.endpoints, step)) deeds.push(actors.act(step));
      await engine.run(ticks ?? TICKS_MAX);
      const violations = judge(isOfAccounts ? alwaysOfAccounts : always);
      if (violations.length > 0) return violations.map((violation) => `${violation} (after step ${index + 1})`);
    }
    calm(world);
    const calmAt = engine.now();
    if (Object.values(world.aws.queues).some(hasDeadLetters)) {
      await engine.runUntil(engine.now() + HOUR);
      deeds.push(actors.redrive());
    }
    if (!isOfAccounts) {
      await engine.runUntil(engine.now() + 8 * DAY);
      await Promise.all(deeds);
      return judge([...always, ...inTheEnd], calmAt);
    }
    await engine.runUntil(engine.now() + SETTLING);
    await Promise.all(deeds);
    const violations = judge([...alwaysOfAccounts, ...settled], calmAt);
    if (violations.length > 0) return violations;
    await engine.runUntil(engine.now() + 8 * DAY - SETTLING);
    return judge([...alwaysOfAccounts, judgeDeliveries], calmAt);
  } finally {
    world.engine.close();
  }
}

/** Whether a queue abandoned a message, or does so at its next receive. */
function hasDeadLetters({ buried, messages }: Queue): boolean {
  return buried.length > 0 || messages.some(({ receives }) => receives >= RECEIVES_MAX);
}

/**
 * An outage that lasts longer costs as much as the rest of many histories: its endpoint is probed every half an hour.
 */
const OUTAGE_MAX: Millis = 3 * HOUR;
/** One history in so many has outages as long as its waits. */
const LONG_OUTAGE_EVERY = 8;

async function pass({ engine, receivers }: World, { seed }: History, millis: Millis): Promise<void> {
  const end = engine.now() + millis;
  if (millis > OUTAGE_MAX && seed % LONG_OUTAGE_EVERY > 0) {
    await engine.runUntil(engine.now() + OUTAGE_MAX);
    receivers.recover();
  }
  await engine.runUntil(end);
}

/** Does what a step says about the world. @returns false for a deed of an actor */
function changeWorld(world: World, endpoints: readonly { readonly url: string }[], step: Step): boolean {
  const { troubles, receivers, platform, gateway, aws } = world;
  switch (step.do) {
    case "trouble":
      troubles.arm(step);
      return true;
    case "receiver": {
      const endpoint = endpoints[step.endpoint % Math.max(1, endpoints.length)];
      if (endpoint) receivers.setMode(endpoint.url, step.mode);
      return true;
    }
    case "platform":
      platform.mode = step.mode;
      return true;
    case "gateway":
      gateway.setMode(step.mode);
      return true;
    case "stale":
      aws.table.setLag(toLag(world, step));
      return true;
    case "bury":
      aws.queues[step.queue].buries = 1;
      return true;
    case "again":
      if (step.when === "running") aws.queues[step.queue].repeatsWhileRunning = 1;
      else aws.queues[step.queue].repeatsAfterwards = 1;
      return true;
    default:
      return false;
  }
}

function toLag({ lagRandom }: World, { source, writes, isMixed }: Extract<Step, { do: "stale" }>): Lag {
  return (read) => {
    const isBehind = source === "all" || source === read.source;
    return isBehind && !(isMixed && lagRandom() < 0.5) ? writes : 0;
  };
}

function calm({ troubles, receivers, platform, pagePlatform, gateway, aws }: World): void {
  troubles.disarm();
  receivers.recover();
  platform.mode = "accept";
  pagePlatform.limitedUntil = 0;
  gateway.setMode("ok");
  aws.table.setLag(() => 0);
  for (const queue of Object.values(aws.queues)) queue.buries = 0;
}
