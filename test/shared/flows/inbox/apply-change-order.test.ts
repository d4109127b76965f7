import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageView } from "../../../../functions/routes/responses.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { IngestPorts } from "../../../../shared/flows/ports.ts";
import { shortHash } from "../../../../shared/kernel/bytes.ts";
import { timeOfUlid, ulidOf } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { readEvent } from "../../../../shared/queues/messages.ts";
import { eventBodyStore } from "../../../../shared/stores/delivery/event-bodies.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { NOW, newTenant } from "../../stores/support/samples.ts";
import { feedOf, ingestOf } from "../support/changes.ts";
import { deliveriesOf, histories, type Step, suppressible, toldInTurn } from "../support/histories.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";

// The promise. Whatever order, batching and repetition a history comes in, it ends with
// - the same messages, with the same texts, and the same heads as when it comes in order, and no mark left;
// - one event id for each thing that is told, and all told that is told in order, save this: of a message that is
//   unsent, the message itself and its edits are told if they were taken before the unsending, and are not if they were
//   taken after it; at the same time, either may be. What of them was told has no body any more, as in order.
//
// The index by which messages are found may at any time not know of one yet.

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

const BEGIN = NOW - MINUTE;
const drawn = (length: number) =>
  histories(BEGIN, length).chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      webhooks: deliveriesOf(steps),
      lags: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
  );

interface Run {
  readonly tenant: TenantId;
  readonly account: string;
  /** Whether the index does not know, look for look, over and over. */
  readonly lags: readonly boolean[];
  /** What was announced, by event id. */
  readonly told: Map<string, { type: string; place: string | null }>;
}

async function newRun(lags: readonly boolean[] = [false]): Promise<Run> {
  const tenant = newTenant();
  return { tenant, account: await house.connect(tenant), lags, told: new Map() };
}

let looks = 0;

function portsOf({ lags }: Run): IngestPorts {
  const ports = house.ingestPorts(lane);
  const find: typeof ports.messageChanges.find = async (...query) => {
    const known = await ports.messageChanges.find(...query);
    return lags[looks++ % lags.length] ? null : known;
  };
  return { ...ports, messageChanges: { ...ports.messageChanges, find } };
}

/** Takes one webhook, as a process of its own. */
async function take(run: Run, webhook: readonly Step[]): Promise<void> {
  const happenings = webhook.map(({ happening }) => happening);
  const { announcements } = await ingestOf(portsOf(run), run.account, happenings, house.now());
  for (const { body } of announcements) {
    const event = readEvent(body);
    if (!event) throw new Error("An announcement cannot be read.");
    const { eventUlid, type, source } = event;
    expect(run.told.get(eventUlid)?.type ?? type).toBe(type);
    run.told.set(eventUlid, { type, place: source?.place ?? null });
  }
}

/** What a run told: messages by where they lie, changes by what their event id is made of. */
function namesTold(run: Run, steps: readonly Step[]): string[] {
  const mids = new Map(steps.map(({ mid }) => [shortHash(mid), mid]));
  const names = [...run.told].map(([ulid, { type, place }]) => {
    if (place) return `${type} ${mids.get(place.split("#")[1] ?? "")}`;
    const isMine = (tells: string) =>
      tells.startsWith(type) && ulidOf(timeOfUlid(ulid), `${run.tenant}\n${changeName(tells)}\n${type}`) === ulid;
    return steps.find(({ tells }) => tells && isMine(tells))?.tells ?? `an unknown ${type}`;
  });
  // A name that came twice would have two event ids.
  expect(new Set(names).size).toBe(names.length);
  return names.sort();
}

function changeName(tells: string): string {
  const [type, mid, ...rest] = tells.split(" ");
  if (type === "message.deleted") return JSON.stringify([mid, "unsend"]);
  if (type === "message.edited") return JSON.stringify([mid, "edit", Number(rest[0])]);
  return JSON.stringify([mid, "reaction", rest[0], Number(rest[1])]);
}

/** Messages and heads as a reader sees them, without what names the tenant. */
async function stateOf({ tenant, account }: Run) {
  const people = [0, 1, 2].map((i) => `person-${i}`);
  const conversations = conversationStore(house.table);
  const now = house.now();
  const perPerson = await Promise.all(
    people.map(async (participantId) => {
      const id = conversationId({ tenant, account: { platform: "instagram", externalId: account }, participantId });
      const [head, page, glimpses] = await Promise.all([
        conversations.get(tenant, id, now),
        messageStore(house.table).ofConversation(tenant, {
          conversationId: id,
          direction: null,
          includeTest: true,
          before: null,
          limit: 100,
          now,
        }),
        conversations.peek([id]),
      ]);
      const { id: _id, ref: _ref, ...shown } = head ?? { id, ref: null };
      const messages = page.rows.map(({ message, place }) => ({ ...messageView(message), edit: message.edit, place }));
      return { head: head && shown, messages, awaited: glimpses.get(id)?.awaited.size };
    }),
  );
  const feed = await feedOf(house, tenant);
  return { perPerson, feed: feed.map(({ id, text, sentAt }) => ({ id, text, sentAt })) };
}

async function expectGone(run: Run, steps: readonly Step[]): Promise<void> {
  const gone = suppressible(steps);
  const bodies = await eventBodyStore(house.table).byUlids(run.tenant, [...run.told.keys()]);
  for (const { body } of bodies.values()) {
    const { type, data } = JSON.parse(body) as { type: string; data: { message: { id: string; edit_count?: number } } };
    expect(gone).not.toContain(`${type} ${data.message.id} ${data.message.edit_count}`);
  }
}

describe("a history of messages and what happened to them", () => {
  it("ends the same in whatever order it comes, and tells of all that no unsending came before", async () => {
    await fc.assert(
      fc.asyncProperty(drawn(14), async ({ steps, webhooks, lags }) => {
        const [inOrder, shuffled] = [await newRun(), await newRun(lags)];
        for (const step of steps) await take(inOrder, [step]);
        for (const webhook of webhooks) await take(shuffled, webhook);
        const state = await stateOf(shuffled);
        expect(state).toEqual(await stateOf(inOrder));
        expect(state.perPerson.map(({ awaited }) => awaited)).toEqual([0, 0, 0]);
        expect(namesTold(inOrder, steps)).toEqual([...toldInTurn(steps)].sort());
        expect(namesTold(shuffled, steps)).toEqual([...toldInTurn(webhooks.flat())].sort());
        await expectGone(shuffled, steps);
      }),
      { numRuns: 25 },
    );
  });

  it("ends the same when all its webhooks are taken at once, in any interleaving of their calls", async () => {
    await fc.assert(
      fc.asyncProperty(drawn(9), fc.scheduler(), async ({ steps, webhooks, lags }, scheduler) => {
        const [inOrder, atOnce] = [await newRun(), await newRun(lags)];
        for (const step of steps) await take(inOrder, [step]);
        const end = injectFaults(house.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
        try {
          await scheduler.waitFor(Promise.all(webhooks.map((webhook) => take(atOnce, webhook))));
        } finally {
          end();
        }
        const state = await stateOf(atOnce);
        expect(state).toEqual(await stateOf(inOrder));
        expect(state.perPerson.map(({ awaited }) => awaited)).toEqual([0, 0, 0]);
        const told = namesTold(atOnce, steps);
        const all = toldInTurn(steps);
        const may = suppressible(steps);
        expect([...all]).toEqual(expect.arrayContaining(told));
        expect([...all].filter((name) => !told.includes(name) && !may.has(name))).toEqual([]);
        await expectGone(atOnce, steps);
      }),
      { numRuns: 25 },
    );
  });
});
