import { afterAll, beforeAll, expect, it } from "vitest";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { drainOf, sendStep, writeStep } from "../../../../shared/flows/delivery/endpoint-tasks.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import { replayWindow } from "../../../../shared/flows/delivery/replay-window.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { noEffects } from "../../../../shared/flows/inbox/effects.ts";
import { ingestUpdates } from "../../../../shared/flows/inbox/ingest-updates.ts";
import { accountHomes } from "../../../../shared/flows/inbox/resolve-account.ts";
import { sendTestEvent } from "../../../../shared/flows/webhooks/send-test.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { PERSON } from "../../stores/support/samples.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { openOutbox, refusing } from "../support/outbox.ts";
import { handOut, receiveAll } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";

// Fair queues keep one busy group from holding up the others: who is whose group.

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** The groups of all that a queue hands out once the longest delay is over. */
async function groupsIn(queue: string): Promise<(string | undefined)[]> {
  house.turn(15 * MINUTE);
  return (await receiveAll(house.eventSource, queue)).map(({ attributes }) => attributes.MessageGroupId);
}

it("an event's group is its tenant, whatever it tells of", async () => {
  const outbox = await openOutbox(house);
  await outbox.reply();
  outbox.answers(refusing({ class: "token", accountStatus: "needs_reauth" }));
  await outbox.reply();
  await outbox.echo("echo", "from the app");
  const groups = await groupsIn(outbox.lane.events);
  // A message came, one went, one did not, the account ended, an echo came.
  expect(groups).toEqual(Array(5).fill(outbox.tenant));

  const effects = noEffects();
  const ports = house.ingestPorts(outbox.lane);
  const reaction = { kind: "reaction", action: "react", reaction: "love", emoji: null } as const;
  const about = { account: outbox.ref, participantId: PERSON, messageId: "echo", at: house.now() };
  await ingestUpdates(ports, accountHomes(ports), [{ ...about, ...reaction }], effects, house.now());
  expect(effects.announcements.map(({ group }) => group)).toEqual([outbox.tenant]);

  const desk = await openDesk(house);
  await desk.endpointWith({ events: ["message.received"] });
  desk.answer(410);
  await happen(desk);
  expect(await groupsIn(desk.lane.events)).toEqual([desk.tenant]);
});

/** A message comes, and its endpoints are called. */
async function happen(desk: Desk): Promise<void> {
  const { body } = await announce(house, desk.tenant, newUlid(house.now()));
  await openQueue(desk.lane.events, house.eventSource).send({ body });
  await handOut(house.eventSource, desk.lane.events, desk.worker);
}

type Asks = (desk: Desk, endpoint: Endpoint) => Promise<unknown>;

const everyReason: [string, Asks][] = [
  [
    "a retry",
    async (desk, { url }) => {
      desk.answer(500, new URL(url).pathname);
      await happen(desk);
    },
  ],
  [
    "a retry that rested in the table",
    async (desk, { id: endpointId }) => {
      const dueAt = house.now() + 5 * MINUTE;
      await desk.ports.due.put({ tenant: desk.tenant, endpointId, eventUlid: newUlid(dueAt), attempt: 4, dueAt });
    },
  ],
  [
    "a step that rested in the table",
    async (desk, { id: endpointId }) => {
      const dueAt = house.now() + 5 * MINUTE;
      const { tenant } = desk;
      await desk.ports.due.putStep({ tenant, endpointId, body: writeStep(drainOf(tenant, endpointId)), dueAt });
    },
  ],
  ["a step", (desk, { id }) => sendStep(desk.ports, drainOf(desk.tenant, id), house.now(), house.now())],
  ["a test", (desk, { id }) => sendTestEvent(desk.ports, desk.tenant, id, desk.by, house.now())],
  [
    "a replay",
    async (desk, endpoint) => {
      const { eventUlid } = await desk.delivery(endpoint, "dlq");
      const request = {
        endpointId: endpoint.id,
        deliveryId: deliveryId(eventUlid, endpoint.id),
        force: false,
        ...desk.by,
      };
      await replayDelivery(desk.ports, desk.tenant, request, house.now());
    },
  ],
  [
    "a replay of a window",
    async (desk, endpoint) => {
      await desk.delivery(endpoint, "dlq");
      const window = {
        from: house.now(),
        to: house.now(),
        statuses: ["dlq"],
        force: false,
        after: null,
        limit: 9,
      } as const;
      await replayWindow(desk.ports, desk.tenant, endpoint.id, window, desk.by, house.now());
    },
  ],
];

it.each(everyReason)("the group of %s is its tenant's one endpoint", async (_reason, ask) => {
  const desk = await openDesk(house);
  const endpoints = [
    (await desk.endpointWith({ path: "/one", events: ["message.received"] })).endpoint,
    (await desk.endpointWith({ path: "/two", events: ["message.received"] })).endpoint,
  ] as const;
  const [one, two] = endpoints;
  for (const endpoint of endpoints) {
    await sweepDue(house.sweepPorts(desk.lane), house.now());
    await ask(desk, endpoint);
    house.turn(4 * MINUTE);
    await sweepDue(house.sweepPorts(desk.lane), house.now());
  }
  expect(new Set(await groupsIn(desk.lane.deliveries))).toEqual(
    new Set([`${desk.tenant}/${one.id}`, `${desk.tenant}/${two.id}`]),
  );
});
