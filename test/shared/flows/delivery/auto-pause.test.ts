import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventSchema } from "../../../../functions/routes/webhooks/event-schemas.ts";
import type { Breaker } from "../../../../shared/domain/delivery/breaker.ts";
import { untroubled } from "../../../../shared/domain/delivery/breaker.ts";
import { writeStep } from "../../../../shared/flows/delivery/endpoint-tasks.ts";
import { replayWindow } from "../../../../shared/flows/delivery/replay-window.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { changeWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { tenantStore } from "../../../../shared/stores/access/tenants.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outage, openOutage } from "../support/outage.ts";
import { handOut } from "../support/queue-work.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

const OWNER = "owner@example.com";

let house: House;
let outage: Outage;
let mailsBefore = 0;
beforeAll(async () => {
  house = await openHouse();
  await sweepDue(house.sweepPorts(await house.newLane()), house.now());
});
afterAll(() => house.close());
beforeEach(async () => {
  outage = await withOwner(OWNER);
});

async function withOwner(ownerEmail: string | null): Promise<Outage> {
  const opened = await openOutage(house);
  const audit = {
    action: "tenant.create",
    resource: "tenant:x",
    actor: "cli",
    ip: null,
    detail: {},
    at: house.now(),
  } as const;
  const tenant = { id: opened.tenant, name: "A shop", status: "active", ownerEmail, createdAt: house.now() } as const;
  await tenantStore(house.table).create(tenant, audit);
  mailsBefore = house.emulators.mail.list().length;
  house.lines.length = 0;
  return opened;
}

/** The mails of this test, oldest first. */
const mails = () => house.emulators.mail.list().toReversed().slice(mailsBefore);
const told = () => outage.receiver.taken.filter(({ headers }) => headers["svc-event-type"] === "webhook.paused");
const setBreaker = async (breaker: Partial<Breaker>) =>
  outage.deliverPorts.endpoints.keepBreaker(
    outage.tenant,
    await outage.read(),
    { ...untroubled, ...breaker },
    house.now(),
  );
/** A failed attempt with which the endpoint has failed for so long and so often. */
async function failOnce(since: number, times: number, rest: Partial<Breaker> = {}): Promise<void> {
  await setBreaker({ failingSince: house.now() - since, failedSince: times - 1, ...rest });
  outage.answer(500);
  await outage.write(1);
  await outage.work();
}

it("an endpoint that fails for five days is warned of once and paused once; what waited can be replayed", async () => {
  await outage.endpointWith({ path: "/other", events: ["webhook.paused"] });
  const begun = house.now();
  const { ulids } = await outage.open();
  let warnedAfter = 0;
  while ((await outage.read()).status === "active" && house.now() < begun + 6 * DAY) {
    await outage.probes(1);
    if (warnedAfter === 0 && mails().length > 0) warnedAfter = house.now() - begun;
  }
  const pausedAfter = house.now() - begun;
  expect(warnedAfter).toBeGreaterThanOrEqual(2.5 * DAY);
  expect(warnedAfter).toBeLessThan(2.5 * DAY + HOUR);
  expect(pausedAfter).toBeGreaterThanOrEqual(5 * DAY);
  expect(pausedAfter).toBeLessThan(5 * DAY + HOUR);

  await outage.pass(MINUTE, 10 * SECOND);
  expect(mails().map(({ from, to, subject }) => [from, to, subject.replace(/:\d+/, ":PORT")])).toEqual([
    ["parley@example.com", [OWNER], "Webhook deliveries to 127.0.0.1:PORT are failing"],
    ["parley@example.com", [OWNER], "Webhook deliveries to 127.0.0.1:PORT are paused"],
  ]);
  for (const { text } of mails()) {
    expect(text).toContain(outage.endpoint.id);
    expect(text).not.toContain("/in");
  }
  expect(told().map(({ url }) => url)).toEqual(["/other"]);
  const event = JSON.parse(told()[0]?.body ?? "");
  expect(event.data).toEqual({ endpoint_id: outage.endpoint.id, reason: "failing" });
  expect(eventSchema("webhook.paused").safeParse(event).success).toBe(true);
  expect(await outage.audits("webhook.auto_pause")).toMatchObject([
    { rs: `webhook:${outage.endpoint.id}`, by: "system", dt: { reason: "failing" } },
  ]);
  expect(Object.values(await outage.statuses())).toEqual(Array(10).fill("blocked"));

  outage.answer(200);
  outage.calls();
  const active = { status: "active" } as const;
  await changeWebhook(outage.ports, outage.tenant, outage.endpoint.id, active, outage.by, house.now());
  const window = {
    from: begun,
    to: house.now(),
    statuses: ["blocked"],
    force: false,
    after: null,
    limit: 100,
  } as const;
  const replayed = await replayWindow(outage.ports, outage.tenant, outage.endpoint.id, window, outage.by, house.now());
  expect(replayed).toMatchObject({ matched: 10, enqueued: 10 });
  await outage.work();
  expect(
    outage
      .calls()
      .map(({ event: ulid }) => ulid)
      .sort(),
  ).toEqual(ulids.sort());
  expect(Object.values(await outage.statuses())).toEqual(Array(10).fill("delivered"));
});

describe("an endpoint", () => {
  it("that failed for five days but fewer than twenty times is not paused", async () => {
    await failOnce(6 * DAY, 19, { warnedAt: house.now() });
    expect((await outage.read()).status).toBe("active");
    await failOnce(6 * DAY, 20, { warnedAt: house.now() });
    expect((await outage.read()).status).toBe("paused");
  });

  it("that was warned of is not warned of again", async () => {
    await failOnce(3 * DAY, 12);
    expect(mails()).toHaveLength(1);
    house.turn(5 * SECOND);
    await outage.write(3);
    await outage.work();
    expect(mails()).toHaveLength(1);
    expect((await outage.read()).status).toBe("active");
  });

  it("that works again is forgiven: the next failure begins a new count", async () => {
    await setBreaker({ failingSince: house.now() - 6 * DAY, failedSince: 40, warnedAt: house.now() });
    await outage.write(1);
    await outage.work();
    outage.answer(500);
    await outage.write(1);
    await outage.work();
    expect(await outage.breaker()).toMatchObject({ failingSince: house.now(), failedSince: 1, warnedAt: null });
    expect((await outage.read()).status).toBe("active");
  });

  it("that was made active again is not paused by its next failure", async () => {
    await failOnce(6 * DAY, 20);
    const active = { status: "active" } as const;
    await changeWebhook(outage.ports, outage.tenant, outage.endpoint.id, active, outage.by, house.now());
    await outage.write(1);
    await outage.work();
    expect((await outage.read()).status).toBe("active");
    expect(await outage.audits("webhook.auto_pause")).toHaveLength(1);
  });

  it("that worked between the message and its turn is not paused", async () => {
    const since = house.now() - 6 * DAY;
    const { tenant, endpoint } = outage;
    await outage.ports.retries.send({ body: writeStep({ tenant, endpointId: endpoint.id, step: "failing", since }) });
    await outage.work();
    expect((await outage.read()).status).toBe("active");
    expect(mails()).toEqual([]);
  });
});

describe("no mail is sent, and nothing else fails,", () => {
  it("where the tenant has no owner", async () => {
    outage = await withOwner(null);
    await failOnce(6 * DAY, 20);
    expect((await outage.read()).status).toBe("paused");
    expect(mails()).toEqual([]);
    expect(house.lines).toContainEqual({ event: "mail_not_sent", reason: "no_owner" });
  });

  it("where nothing says from whom", async () => {
    const { mail } = outage.deliverPorts;
    Object.assign(outage.deliverPorts, { mail: null });
    await failOnce(6 * DAY, 20);
    Object.assign(outage.deliverPorts, { mail });
    expect((await outage.read()).status).toBe("paused");
    expect(house.lines).toContainEqual({ event: "mail_not_sent", reason: "no_sender" });
  });

  it("where the mail service refuses it", async () => {
    Object.assign(outage.deliverPorts, { mail: { send: () => Promise.reject(new TypeError("owner@example.com")) } });
    await failOnce(6 * DAY, 20);
    expect((await outage.read()).status).toBe("paused");
    expect(house.lines).toContainEqual({ event: "mail_not_sent", reason: "TypeError" });
    expect(JSON.stringify(house.lines)).not.toContain(OWNER);
  });
});

it.each(strikes)("a worker that is struck (%s) while it pauses an endpoint is made up for", async (strike) => {
  for (let k = 0; ; k++) {
    outage = await withOwner(OWNER);
    await outage.endpointWith({ path: "/other", events: ["webhook.paused"] });
    const since = house.now() - 6 * DAY;
    await setBreaker({ failingSince: since, failedSince: 20 });
    const { tenant, endpoint } = outage;
    await outage.ports.retries.send({ body: writeStep({ tenant, endpointId: endpoint.id, step: "failing", since }) });
    const struck = strikeAt(house.clients, strike, k);
    await handOut(house.eventSource, outage.lane.deliveries, struck.mortal(outage.worker));
    struck.end();
    house.turn(31 * SECOND);
    await outage.work();
    expect((await outage.read()).status).toBe("paused");
    expect(await outage.audits("webhook.auto_pause")).toHaveLength(1);
    // A message whose answer was lost is sent twice, and may be told twice.
    expect(new Set(told().map(({ headers }) => headers["svc-event-id"])).size).toBe(1);
    // Twice where it died with the mail on its way.
    expect(mails().length).toBeGreaterThanOrEqual(1);
    expect(mails().length).toBeLessThanOrEqual(2);
    if (!struck.reached()) {
      // Endpoint; pause and audit; the event's body, its message; owner, mail.
      expect(k).toBeGreaterThanOrEqual(6);
      expect([told(), mails()].map(({ length }) => length)).toEqual([1, 1]);
      return;
    }
  }
});
