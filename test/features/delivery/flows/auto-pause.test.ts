import { beforeAll, beforeEach, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { encodeEndpointTask } from "#features/delivery/queue.ts";
import type { Breaker } from "#features/delivery/rules/breaker.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { drainMails } from "../../../support/flows/drain-mails.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { createMember } from "../../access/store/support/team-samples.ts";
import { type OwnerMails, openOwnerMails } from "./support/owner-mails.ts";

const OWNER = "owner@example.com";
let outage: Outage;
let newMails: OwnerMails;
const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  await sweepDue(testEnv.sweepPorts(await testEnv.newQueues()), testEnv.now());
});
beforeEach(async () => {
  outage = await openOutageWithOwner(OWNER);
});

async function openOutageWithOwner(ownerEmail: string | null): Promise<Outage> {
  const newOutage = await openOutage(testEnv);
  newMails = await openOwnerMails(testEnv, newOutage, ownerEmail);
  testEnv.lines.length = 0;
  return newOutage;
}

const pauseEvents = () =>
  outage.receiver.requests.filter(({ headers }) => headers["svc-event-type"] === "webhook.paused");
/** A failed attempt of an endpoint that has failed for this time and this many attempts. */
async function recordFailures(since: number, times: number, rest: Partial<Breaker> = {}): Promise<void> {
  await outage.setBreaker({ failingSince: testEnv.now() - since, failedSince: times - 1, ...rest });
  outage.respondWith(500);
  await outage.write(1);
  await outage.drainQueues();
}

it("five days of failures cause one warning and one pause; waiting deliveries can be replayed", async () => {
  await outage.endpointWith({ path: "/other", events: ["webhook.paused"] });
  const startedAt = testEnv.now();
  const { ulids } = await outage.openCircuit();
  let warnedAfter = 0;
  while ((await outage.readEndpoint()).status === "active" && testEnv.now() < startedAt + 6 * DAY) {
    await outage.runProbes(1);
    if (warnedAfter === 0 && (await newMails()).length > 0) warnedAfter = testEnv.now() - startedAt;
  }
  const pausedAfter = testEnv.now() - startedAt;
  expect(warnedAfter).toBeGreaterThanOrEqual(2.5 * DAY);
  expect(warnedAfter).toBeLessThan(2.5 * DAY + HOUR);
  expect(pausedAfter).toBeGreaterThanOrEqual(5 * DAY);
  expect(pausedAfter).toBeLessThan(5 * DAY + HOUR);

  await outage.passTime(MINUTE, 10 * SECOND);
  expect((await newMails()).map(({ from, to, subject }) => [from, to, subject.replace(/:\d+/, ":PORT")])).toEqual([
    ["parley@example.com", [OWNER], "Webhook deliveries to 127.0.0.1:PORT are failing"],
    ["parley@example.com", [OWNER], "Webhook deliveries to 127.0.0.1:PORT are paused"],
  ]);
  for (const { text } of await newMails()) {
    expect(text).toContain(outage.endpoint.id);
    expect(text).not.toContain("/in");
  }
  expect(pauseEvents().map(({ url }) => url)).toEqual(["/other"]);
  const event = JSON.parse(pauseEvents()[0]?.body ?? "");
  expect(event.data).toEqual({ endpoint_id: outage.endpoint.id, reason: "failing" });
  expect(eventSchema("webhook.paused").safeParse(event).success).toBe(true);
  expect(await outage.audits("webhook.auto_pause")).toMatchObject([
    { rs: `webhook:${outage.endpoint.id}`, by: "system", dt: { reason: "failing" } },
  ]);
  expect((await outage.readEndpoint()).pausedBy).toBe("system");
  expect(Object.values(await outage.statuses())).toEqual(Array(10).fill("blocked"));

  outage.respondWith(200);
  outage.calls();
  await outage.update(outage.endpoint, { status: "active" });
  const replayed = await outage.replayWindow(outage.endpoint, { from: startedAt, statuses: ["blocked"], limit: 100 });
  expect(replayed).toMatchObject({ matched: 10, enqueued: 10 });
  await outage.drainQueues();
  expect(
    outage
      .calls()
      .map(({ event: ulid }) => ulid)
      .sort(),
  ).toEqual(ulids.sort());
  expect(Object.values(await outage.statuses())).toEqual(Array(10).fill("delivered"));
});

it("an endpoint is not paused when it failed for five days but fewer than twenty times", async () => {
  await recordFailures(6 * DAY, 19, { warnedAt: testEnv.now() });
  expect((await outage.readEndpoint()).status).toBe("active");
  await recordFailures(6 * DAY, 20, { warnedAt: testEnv.now() });
  expect((await outage.readEndpoint()).status).toBe("paused");
});

it("an endpoint's owner is warned only once", async () => {
  await recordFailures(3 * DAY, 12);
  expect(await newMails()).toHaveLength(1);
  testEnv.advance(5 * SECOND);
  await outage.write(3);
  await outage.drainQueues();
  expect(await newMails()).toHaveLength(1);
  expect((await outage.readEndpoint()).status).toBe("active");
});

it("an endpoint starts a new failure count after a success", async () => {
  await outage.setBreaker({ failingSince: testEnv.now() - 6 * DAY, failedSince: 40, warnedAt: testEnv.now() });
  await outage.write(1);
  await outage.drainQueues();
  outage.respondWith(500);
  await outage.write(1);
  await outage.drainQueues();
  expect(await outage.breaker()).toMatchObject({ failingSince: testEnv.now(), failedSince: 1, warnedAt: null });
  expect((await outage.readEndpoint()).status).toBe("active");
});

it("an endpoint is not paused by the first failure after it is activated again", async () => {
  await recordFailures(6 * DAY, 20);
  await outage.update(outage.endpoint, { status: "active" });
  await outage.write(1);
  await outage.drainQueues();
  expect((await outage.readEndpoint()).status).toBe("active");
  expect(await outage.audits("webhook.auto_pause")).toHaveLength(1);
});

it("an endpoint is not paused when it succeeded between the message and its processing", async () => {
  const since = testEnv.now() - 6 * DAY;
  const { tenant, endpoint } = outage;
  await outage.ports.retries.send({
    body: encodeEndpointTask({ tenant, endpointId: endpoint.id, kind: "warn", since }),
  });
  await outage.drainQueues();
  expect((await outage.readEndpoint()).status).toBe("active");
  expect(await newMails()).toEqual([]);
});

it("no mail is sent, and nothing else fails, when the tenant has no owner", async () => {
  outage = await openOutageWithOwner(null);
  await recordFailures(6 * DAY, 20);
  expect((await outage.readEndpoint()).status).toBe("paused");
  expect(await newMails()).toEqual([]);
  expect(testEnv.lines).toContainEqual({ event: "mail.not_sent", reason: "no_owner" });
});

it("no mail is sent, and nothing else fails, when no sender address is configured", async () => {
  await recordFailures(6 * DAY, 20);
  expect(await newMails({ mail: null })).toEqual([]);
  expect((await outage.readEndpoint()).status).toBe("paused");
  expect(testEnv.lines).toContainEqual({ event: "mail.not_sent", reason: "no_sender" });
  expect(await newMails()).toEqual([]);
});

it("a mail that the mail service refuses is repeated, and nothing else fails", async () => {
  await recordFailures(6 * DAY, 20);
  expect(await newMails({ mail: { send: () => Promise.reject(new TypeError("owner@example.com")) } })).toEqual([]);
  expect((await outage.readEndpoint()).status).toBe("paused");
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.failed", error: "TypeError" }));
  expect(JSON.stringify(testEnv.lines)).not.toContain(OWNER);
  testEnv.advance(MINUTE);
  expect(await newMails()).toHaveLength(1);
});

it("no mail is sent about an endpoint that was activated again, or deleted, before the mail", async () => {
  await recordFailures(6 * DAY, 20);
  await outage.update(outage.endpoint, { status: "active" });
  expect(await newMails()).toEqual([]);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.dropped", reason: "stale" }));
});

const recipients = async () => (await newMails()).map(({ to }) => to);
const pause = () => recordFailures(6 * DAY, 20);

it("the mails go to the owner whom the operator named, until they have signed in", async () => {
  await pause();
  expect(await recipients()).toEqual([[OWNER]]);
});

it("the mails go to every owner in a mail of their own, and no more to a named owner who is not a member any more", async () => {
  const owners = [await createMember(testEnv.table, outage.tenant, "owner")];
  owners.push(await createMember(testEnv.table, outage.tenant, "owner"));
  await createMember(testEnv.table, outage.tenant, "admin");
  await pause();
  // The notice, and one message for each owner.
  expect(await drainMails(testEnv, outage.queues)).toBe(1 + owners.length);
  expect((await recipients()).sort()).toEqual(owners.map(({ email }) => [email]).sort());
});

it("the mails go to the other owners when SES fails for one of them", async () => {
  const first = await createMember(testEnv.table, outage.tenant, "owner");
  const second = await createMember(testEnv.table, outage.tenant, "owner");
  const sent: string[] = [];
  const sendTo = (failing: string | null) => ({
    mail: {
      send: async ({ to }: { readonly to: string }) => {
        if (to === failing) throw new TypeError(to);
        sent.push(to);
        return "accepted" as const;
      },
    },
  });
  await pause();
  await newMails(sendTo(first.email));
  expect(sent).toEqual([second.email]);
  testEnv.advance(MINUTE);
  await newMails(sendTo(null));
  expect(sent).toEqual([second.email, first.email]);
});

it.each(faultPoints)(
  "a worker that meets a fault (%s) at any call while it pauses an endpoint is completed later",
  async (faultPoint) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      outage = await openOutageWithOwner(OWNER);
      await outage.endpointWith({ path: "/other", events: ["webhook.paused"] });
      const since = testEnv.now() - 6 * DAY;
      await outage.setBreaker({ failingSince: since, failedSince: 20 });
      const { tenant, endpoint } = outage;
      await outage.ports.retries.send({
        body: encodeEndpointTask({ tenant, endpointId: endpoint.id, kind: "warn", since }),
      });
      await strike.invoke(outage.queues.deliveries, outage.worker);
      testEnv.advance(31 * SECOND);
      await outage.drainQueues();
      expect((await outage.readEndpoint()).status).toBe("paused");
      expect(await outage.audits("webhook.auto_pause")).toHaveLength(1);
      // A message whose response was lost is sent twice, and may be published twice.
      expect(new Set(pauseEvents().map(({ headers }) => headers["svc-event-id"])).size).toBe(1);
      // The mail is sent twice when the worker died while sending it.
      expect((await newMails()).length).toBeGreaterThanOrEqual(1);
      expect((await newMails()).length).toBeLessThanOrEqual(2);
      if (!strike.reached()) {
        expect([pauseEvents(), await newMails()].map(({ length }) => length)).toEqual([1, 1]);
      }
    });
    // The calls: endpoint; pause and audit; the event's body and message; the mail's message.
    expect(calls).toBeGreaterThanOrEqual(5);
  },
);
