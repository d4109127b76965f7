import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventSchema } from "../../../../functions/routes/webhooks/event-schemas.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { changeWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { tenantStore } from "../../../../shared/stores/access/tenants.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
});

const bodies = new Map<string, string>();
const put = (body: string) => openQueue(desk.lane.events, house.eventSource).send({ body });
async function write(id: string): Promise<string> {
  const { message, body } = await announce(house, desk.tenant, id);
  bodies.set(id, body);
  await put(body);
  return message.eventUlid;
}
const comeAgain = (id: string) => put(JSON.stringify({ ...JSON.parse(bodies.get(id) ?? ""), r: 1 }));
const read = (id: string) => desk.ports.endpoints.get(desk.tenant, id);
const told = () => desk.receiver.taken.filter(({ headers }) => headers["svc-event-type"] === "webhook.paused");

it("410 at the first attempt pauses the endpoint; every other endpoint is told, it itself is not", async () => {
  const { endpoint } = await desk.endpointWith();
  await desk.endpointWith({ path: "/other", events: ["webhook.paused"] });
  desk.answer(410);
  const eventUlid = await write("m1");
  await desk.work();
  expect(await desk.row(endpoint, eventUlid)).toMatchObject({ status: "failed", attempt: 1, lastResponseStatus: 410 });
  expect(await read(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await desk.audits("webhook.auto_pause")).toMatchObject([
    { rs: `webhook:${endpoint.id}`, by: "system", dt: { reason: "gone" } },
  ]);
  expect(told().map(({ url }) => url)).toEqual(["/other"]);
  expect(JSON.parse(told()[0]?.body ?? "")).toMatchObject({
    type: "webhook.paused",
    tenant_id: desk.tenant,
    data: { endpoint_id: endpoint.id, reason: "gone" },
  });
  expect(eventSchema("webhook.paused").safeParse(JSON.parse(told()[0]?.body ?? "")).success).toBe(true);
  expect((await desk.rows(endpoint)).map(({ eventType }) => eventType)).toEqual(["message.received"]);
});

describe("the owner of a tenant whose receiver answers 410", () => {
  let mailsBefore = 0;
  /** The mails since then, oldest first. */
  const mails = () => house.emulators.mail.list().toReversed().slice(mailsBefore);
  beforeEach(() => withOwner());

  async function withOwner(): Promise<void> {
    const audit = {
      action: "tenant.create",
      resource: "tenant:x",
      actor: "cli",
      ip: null,
      detail: {},
      at: house.now(),
    } as const;
    const tenant = { id: desk.tenant, name: "A shop", status: "active", createdAt: house.now() } as const;
    await tenantStore(house.table).create({ ...tenant, ownerEmail: "owner@example.com" }, audit);
    mailsBefore = house.emulators.mail.list().length;
  }

  it.each([1, 2])(
    "gets a mail, at attempt %i: the endpoint's id and host, and no more of its address",
    async (attempt) => {
      const { endpoint } = await desk.endpointWith({ path: "/in?secret", events: ["message.received"] });
      desk.answer(attempt === 1 ? 410 : 500, "/in?secret");
      for (let i = 0; i < 3; i++) await write(`m${i}`);
      await desk.work();
      desk.answer(410, "/in?secret");
      house.turn(5_000);
      await desk.work();
      const host = `127.0.0.1:${desk.receiver.port}`;
      expect(mails()).toMatchObject([
        { from: "parley@example.com", to: ["owner@example.com"], subject: `Webhook deliveries to ${host} are paused` },
      ]);
      const [{ text = "" } = {}] = mails();
      expect(text).toContain(endpoint.id);
      expect(text).toContain("410");
      expect(text).not.toContain("secret");
    },
  );

  it.each(strikes)("gets it, too, when the worker is struck (%s) at any call", async (strike) => {
    for (let k = 0; ; k++) {
      desk = await openDesk(house);
      await withOwner();
      await desk.endpointWith({ events: ["message.received"] });
      desk.answer(410);
      await write("m1");
      const struck = strikeAt(house.clients, strike, k);
      await handOut(house.eventSource, desk.lane.events, struck.mortal(desk.worker));
      struck.end();
      house.turn(31_000);
      await desk.work();
      // Twice where it died with the mail on its way.
      expect(mails().length).toBeGreaterThanOrEqual(1);
      expect(mails().length).toBeLessThanOrEqual(2);
      if (!struck.reached()) {
        expect(mails()).toHaveLength(1);
        return;
      }
    }
  });
});

it("410 at a retry does the same", async () => {
  const { endpoint } = await desk.endpointWith({ events: ["message.received"] });
  desk.answer(500);
  const eventUlid = await write("m1");
  await desk.work();
  desk.answer(410);
  house.turn(5_000);
  await desk.work();
  expect(await desk.row(endpoint, eventUlid)).toMatchObject({ status: "failed", attempt: 2 });
  expect(await read(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await desk.audits("webhook.auto_pause")).toHaveLength(1);
});

it("ten deliveries that are answered so at once pause once and tell once; what comes later is blocked", async () => {
  const { endpoint } = await desk.endpointWith({ events: ["message.received"] });
  await desk.endpointWith({ path: "/other", events: ["webhook.paused"] });
  desk.answer(410);
  for (let i = 0; i < 10; i++) await write(`m${i}`);
  await desk.work();
  expect(await desk.audits("webhook.auto_pause")).toHaveLength(1);
  expect(told()).toHaveLength(1);
  const later = await write("later");
  await desk.work();
  expect(await desk.row(endpoint, later)).toMatchObject({ status: "blocked", attempt: 0 });
});

it("an event that comes again pauses no endpoint that was made active since", async () => {
  const { endpoint } = await desk.endpointWith({ events: ["message.received"] });
  desk.answer(410);
  await write("m1");
  await write("m2");
  await desk.work();
  house.turn(1_000);
  await changeWebhook(desk.ports, desk.tenant, endpoint.id, { status: "active" }, desk.by, house.now());
  await comeAgain("m1");
  await comeAgain("m2");
  await desk.work();
  expect(await read(endpoint.id)).toMatchObject({ status: "active" });
  expect(await desk.audits("webhook.auto_pause")).toHaveLength(1);
  // A new 410 does.
  await write("m3");
  await desk.work();
  expect(await read(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await desk.audits("webhook.auto_pause")).toHaveLength(2);
});
