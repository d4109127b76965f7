import { DAY } from "../../shared/kernel/time.ts";
import { openActors } from "./actors.ts";
import { judgeCounters } from "./ledger/counters.ts";
import { judgeDeliveries, judgeQuarantine } from "./ledger/deliveries.ts";
import { judgeErasures } from "./ledger/erasure.ts";
import { gather } from "./ledger/evidence.ts";
import { judgeEvents, judgeInbox } from "./ledger/inbox.ts";
import { judgeBudgets, judgeSendEvents, judgeSends, judgeWindows } from "./ledger/sending.ts";
import type { History, Step } from "./steps.ts";
import { openWorld, type World } from "./world/open-world.ts";

const judges = [
  judgeInbox,
  judgeEvents,
  judgeDeliveries,
  judgeQuarantine,
  judgeSends,
  judgeSendEvents,
  judgeWindows,
  judgeBudgets,
  judgeErasures,
  judgeCounters,
];

/** More than any step causes. */
const TICKS_MAX = 20_000;

/** Runs a history and lets the world come to rest. @returns what must not be, empty when all is well */
export async function runHistory(history: History): Promise<string[]> {
  const world = await openWorld(history.seed);
  try {
    const { engine } = world;
    const actors = openActors(world);
    const deeds: Promise<unknown>[] = [actors.createEndpoint()];
    await engine.run(TICKS_MAX);
    for (const [step, ticks] of history.steps) {
      if (step.do === "wait") await engine.runUntil(engine.now() + step.millis);
      else if (!changeWorld(world, actors.deeds.endpoints, step)) deeds.push(actors.act(step));
      await engine.run(ticks ?? TICKS_MAX);
    }
    calm(world);
    await engine.runUntil(engine.now() + 8 * DAY);
    await Promise.all(deeds);
    const evidence = gather(world, history, actors);
    return judges.flatMap((judge) => judge(evidence));
  } finally {
    world.engine.close();
  }
}

/** Does what a step says about the world. @returns false for a deed of an actor */
function changeWorld(world: World, endpoints: readonly { readonly url: string }[], step: Step): boolean {
  const { troubles, receivers, platform, aws } = world;
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
    case "stale":
      aws.table.setLag(({ source }) => (step.source === "all" || step.source === source ? step.writes : 0));
      return true;
    case "again":
      if (step.when === "running") aws.queues[step.queue].repeatsWhileRunning = 1;
      else aws.queues[step.queue].repeatsAfterwards = 1;
      return true;
    default:
      return false;
  }
}

function calm({ troubles, receivers, platform, aws }: World): void {
  troubles.disarm();
  receivers.recover();
  platform.mode = "accept";
  aws.table.setLag(() => 0);
}
