import { describe, expect, inject, it } from "vitest";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { headAttributes } from "#features/inbox/store/attributes.ts";
import { openedOnce } from "../support/opened.ts";
import { openActors } from "./actors/actors.ts";
import { type Evidence, messageIdOf, observe, wordsIn } from "./ledger/evidence.ts";
import { judgeHeldMessages, judgeHolders } from "./ledger/holders.ts";
import { judgeEvents } from "./ledger/inbox.ts";
import { judgeDeadLetters } from "./ledger/outages.ts";
import { judgeConnectedAccounts, judgeDataDeletions } from "./ledger/platform-callbacks.ts";
import type { History } from "./steps/step.ts";
import { openWorld } from "./world/open-world.ts";
import { type OutService, outServices } from "./world/outages.ts";
import { NEIGHBOUR } from "./world/people.ts";

/** The last one writes for the first time in the outage. */
const CUSTOMERS = [0, 2, 3];
/** Each customer writes this often, in the outage and after it. */
const WRITES_EACH: Millis = 4 * MINUTE;
/** The requests that a receive makes in vain at most, its share of other workers included. */
const REFUSED_MAX = 3;
/** How old messages that are minutes apart may be to come back in their order. */
const ORDERED_FOR: Millis = 90 * MINUTE;
const DONE_WITHIN: Millis = 20 * MINUTE;

const durations: readonly Millis[] = inject("fullRun")
  ? [10 * MINUTE, 20 * MINUTE, HOUR, 5 * HOUR]
  : [20 * MINUTE, HOUR];

/** A world with two endpoints, in which a login has connected every account. */
async function openOutageWorld() {
  const history: History = { kind: "accounts", seed: 20_261_128, steps: [] };
  const world = await openWorld(history.seed, { isOfAccounts: true });
  const { engine, aws, outages } = world;
  const actors = openActors(world);
  const look = observe(world, history, actors.deeds);
  void actors.createEndpoint();
  void actors.createEndpoint(NEIGHBOUR);
  await engine.runUntil(engine.now() + MINUTE);
  for (const account of [0, 1, 2]) void actors.act({ do: "connectAccount", account, tenant: 0, login: 0 });
  await engine.runUntil(engine.now() + 10 * MINUTE);
  const evidence = () => look(engine.now()) as Evidence;
  return { engine, aws, outages, actors, evidence, close: () => engine.close() };
}

/** Three customers write before, in and after an outage. @returns what was seen when everything had its time */
async function runOutage(service: OutService, duration: Millis) {
  const { engine, aws, outages, actors, evidence, close } = await openOutageWorld();
  try {
    const write = async (until: Millis, who = CUSTOMERS) => {
      while (engine.now() < until) {
        for (const customer of who) void actors.act({ do: "customerWrites", customer });
        await engine.runUntil(Math.min(until, engine.now() + WRITES_EACH));
      }
    };
    await write(engine.now() + 8 * MINUTE, CUSTOMERS.slice(0, -1));
    const from = engine.now();
    const until = from + duration;
    outages.begin(service, duration);
    const before = aws.queues.Inbound.counts.received;
    await write(until);
    const receives = aws.queues.Inbound.counts.received - before;
    await write(until + DONE_WITHIN);
    const soon = evidence();
    await engine.runUntil(engine.now() + HOUR);
    const settled = evidence();
    const waited = soon.writings.filter(({ at }) => at >= from && at < until);
    const refused = [...outages.refused.values()].reduce((sum, count) => sum + count, 0);
    return { soon, settled, waited, until, receives, refused };
  } finally {
    close();
  }
}

const cases = outServices.flatMap((service) => durations.map((duration) => [service, duration] as const));

describe.for(cases)("an outage of %s of %i ms", ([service, duration]) => {
  const run = openedOnce(() => runOutage(service, duration));

  it("the outage makes no dead letter, and nothing is lost or in a wrong place", () => {
    const { settled } = run;
    expect(
      [judgeDeadLetters, judgeHeldMessages, judgeHolders, judgeEvents, judgeConnectedAccounts].flatMap((judge) =>
        judge(settled),
      ),
    ).toEqual([]);
    expect(settled.writings.every(({ webhook }) => webhook !== null && settled.acknowledged.has(webhook))).toBe(true);
  });

  it("the outage is made up for in 20 minutes: every message is stored and delivered", () => {
    const { soon, waited } = run;
    expect(waited.length).toBeGreaterThanOrEqual((CUSTOMERS.length * duration) / WRITES_EACH - CUSTOMERS.length);
    const delivered = new Set(soon.posts.filter(({ accepted }) => accepted).map(messageIdOf));
    expect(waited.filter(({ mid }) => !delivered.has(mid))).toEqual([]);
    expect(waited.filter(({ mid }) => storedAt(soon, mid) === null)).toEqual([]);
  });

  it("the outage leaves each conversation with its newest message, and stores what waited in the order of its times", () => {
    const { soon, settled, waited, until } = run;
    for (const customer of new Set(settled.writings.map((writing) => writing.customer))) {
      const own = settled.writings.filter((writing) => writing.customer === customer);
      const head = settled.items.find(({ PK, SK }) => PK.endsWith(`#${customer.id}`) && SK === "~HEAD");
      expect(head?.[headAttributes.lastText]).toBe(own.at(-1)?.text);
      expect(head?.[headAttributes.profileState]).toBe("complete");
      // Older ones come back in the same second.
      const recent = waited.filter((each) => each.customer === customer && each.at >= until - ORDERED_FOR);
      const late = recent.filter(({ mid }) => (storedAt(soon, mid) ?? 0) >= until);
      const times = late.map(({ mid }) => storedAt(soon, mid) ?? 0);
      // A queue waits in whole seconds: of two messages that come back in the same one, either may be the first.
      expect(times.filter((time, at) => time + SECOND <= (times[at - 1] ?? 0))).toEqual([]);
    }
  });

  it("the outage costs few receives", () => {
    const { receives, waited, refused } = run;
    // Five of each message in its first minutes, and then six an hour.
    const most = waited.length * (5 + (6 * duration) / HOUR);
    expect(receives).toBeLessThanOrEqual(most);
    // Messages that come in two batches in place of one cost one request more, with its attempts.
    expect(refused).toBeLessThanOrEqual(REFUSED_MAX * (most + 1));
  });
});

function storedAt({ changes }: Evidence, mid: string): Millis | null {
  return changes.find(({ before, after }) => !before && String(after?.i).endsWith(`#${mid}`))?.at ?? null;
}

describe.for(outServices)("a person's data deletion in an outage of %s", (service) => {
  it.each([
    ["that begins after the request", 5 * SECOND],
    ["that is in progress at the request", -5 * SECOND],
  ])("%s is done within an hour of its end, and leaves nothing", async (_, beginsAfter) => {
    const { engine, outages, actors, evidence, close } = await openOutageWorld();
    try {
      for (const customer of CUSTOMERS) void actors.act({ do: "customerWrites", customer });
      await engine.runUntil(engine.now() + MINUTE);
      const request = () => void actors.act({ do: "deleteData", login: 0 });
      if (beginsAfter > 0) request();
      await engine.runUntil(engine.now() + Math.abs(beginsAfter));
      outages.begin(service, 20 * MINUTE);
      // The platform repeats a request that no one answered, and may repeat any other.
      request();
      await engine.runUntil(engine.now() + 20 * MINUTE);
      request();
      await engine.runUntil(engine.now() + HOUR);
      const seen = evidence();
      expect([judgeDataDeletions, judgeDeadLetters, judgeConnectedAccounts].flatMap((judge) => judge(seen))).toEqual(
        [],
      );
      expect(seen.platformCallbacks.some(({ response }) => response?.status === 200)).toBe(true);
      expect(seen.items.filter((item) => wordsIn(item).length > 0)).toEqual([]);
    } finally {
      close();
    }
  });
});
