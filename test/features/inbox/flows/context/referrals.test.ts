import { expect, it } from "vitest";
import { DAY, HOUR, iso, MINUTE } from "#base/kernel/time.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { useChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { drainErasures, runErasure } from "../../../../support/flows/data-subject.ts";
import { eventData, type PlatformEvent, textEvent } from "../../../../support/flows/platform-events.ts";
import { PERSON } from "../../../../support/stores/samples.ts";

const { testEnv, queues, fixture } = useChangeFixture();

const referralEvent = (ref: string, at: number): PlatformEvent => ({
  at,
  content: { referral: { ref, source: "SHORTLINK", type: "OPEN_THREAD" } },
});

it("a referral without a message is published once, with what the link or ad carried, and stores no message and no conversation", async () => {
  const { account, conversation, at, ingest, head, rawHead, shownTexts } = fixture;
  const events = await ingest(referralEvent("summer", at));
  expect(events.map(({ type }) => type)).toEqual(["referral.received"]);
  expect(events.map(eventData)).toEqual([
    {
      referral: {
        conversation_id: conversation,
        account_key: `instagram#${account}`,
        platform: "instagram",
        participant: { id: PERSON, handle: null, username: null, name: null },
        ref: "summer",
        source: "SHORTLINK",
        type: "OPEN_THREAD",
        ad_id: null,
        at: iso(at),
      },
    },
  ]);
  expect(await head()).toBeNull();
  expect(await rawHead()).toEqual({});
  expect(await shownTexts()).toEqual([]);
  testEnv.advance(HOUR);
  const again = await ingest(referralEvent("summer", at), referralEvent("summer", at));
  expect(again.map(({ ulid }) => ulid)).toEqual(events.map(({ ulid }) => ulid));
  expect(again.map(({ body }) => body)).toEqual(events.map(({ body }) => body));
  expect((await ingest(referralEvent("winter", at), referralEvent("summer", at + 1))).length).toBe(2);
});

it("a referral without a message names a known person, and neither opens the window nor changes the conversation", async () => {
  const { conversation, at, ingest, head } = fixture;
  await ingest(textEvent("m1", "hello", at));
  const profile = { state: "complete", handle: "ada.lind", username: "ada.lind", name: "Ada Lind" } as const;
  await profileStore(testEnv.table).save(conversation, { ...profile, picture: null }, testEnv.now());
  const before = await head();
  const [event] = await ingest(referralEvent("summer", at + 1));
  expect(event && eventData(event).referral).toMatchObject({
    participant: { id: PERSON, handle: "ada.lind", username: "ada.lind", name: "Ada Lind" },
  });
  expect(await head()).toEqual(before);
});

it("a referral without a message is removed by an erasure, also where the conversation has no message, and one from before it is dropped", async () => {
  const { tenant, conversation, ingest, tenantItems } = fixture;
  const queues = await testEnv.newQueues();
  const at = testEnv.now();
  await ingest(referralEvent("canary", at));
  expect(JSON.stringify(await tenantItems())).toContain("canary");
  testEnv.advance(MINUTE);
  await runErasure(testEnv, queues, { tenant, conversation });
  expect(JSON.stringify(await tenantItems())).not.toContain("canary");
  expect(await ingest(referralEvent("canary", at))).toEqual([]);
  await drainErasures(testEnv, queues);
  expect(await ingest(referralEvent("canary", at + 1))).toEqual([]);
  expect(JSON.stringify(await tenantItems())).not.toContain("canary");
  expect(await ingest(referralEvent("later", testEnv.now()))).toHaveLength(1);
});

it("a referral without a message older than the retention stores nothing", async () => {
  const { ingest, tenantItems } = fixture;
  expect(await ingest(referralEvent("old", testEnv.now() - 7 * DAY))).toEqual([]);
  expect(await tenantItems()).toEqual([]);
});

it("a message without a time is stored once, at its first arrival, however often the platform repeats it", async () => {
  const { account, shownTexts, read } = fixture;
  const event = { sender: { id: PERSON }, recipient: { id: account }, message: { mid: "m1", text: "hello" } };
  const raw = Buffer.from(JSON.stringify({ object: "instagram", entry: [{ id: account, messaging: [event] }] }));
  const ulids: string[] = [];
  const arrivedAt = testEnv.now();
  for (let arrival = 0; arrival < 3; arrival++) {
    const effects = newEffects();
    const now = testEnv.now();
    const ports = testEnv.ingestPorts(queues);
    await ingestUpdates(ports, accountResolver(ports), parseUpdates(raw, now), { effects, now });
    ulids.push(...effects.events.map(({ body }) => JSON.parse(body).event));
    testEnv.advance(MINUTE);
  }
  expect(await shownTexts()).toEqual(["hello"]);
  expect(await read("m1")).toMatchObject({ sentAt: arrivedAt, direction: "inbound", sentVia: "participant" });
  expect(ulids).toHaveLength(3);
  expect(new Set(ulids).size).toBe(1);
});
