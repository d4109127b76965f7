import fc from "fast-check";
import { expect, it } from "vitest";
import { shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { Profile } from "#features/inbox/rules/profiles.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { readItem, setAttributes } from "../../../support/stores/items.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const tableHandle = openedOnce(() => openTable(table.tableName, table.client));
const conversations = openedOnce(() => conversationStore(tableHandle));
const profiles = openedOnce(() => profileStore(tableHandle));

const adaProfile: Profile = {
  state: "complete",
  handle: "ada.lind",
  username: "ada.lind",
  name: null,
  picture: { url: "https://cdn.example/ada.jpg", expiresAt: NOW + 1_000 },
};

async function conversation(): Promise<{ tenant: TenantId; id: string }> {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "m" }), SAMPLE_INBOX);
  return { tenant, id: sampleConversationId(tenant) };
}

async function shownProfile({ tenant, id }: { tenant: TenantId; id: string }, now = NOW + 1) {
  const head = await conversations.get(tenant, id, now);
  return head && [head.participantProfile, head.participantHandle, head.participantUsername, head.participantPicture];
}

it("a stored profile shows in the head, in the inbox, beside the messages and in a snapshot", async () => {
  const { tenant, id } = await conversation();
  await profiles.save(id, adaProfile, NOW);
  const head = await conversations.get(tenant, id, NOW + 1);
  expect(head).toMatchObject({
    participantHandle: "ada.lind",
    participantUsername: "ada.lind",
    participantPicture: "https://cdn.example/ada.jpg",
    participantProfile: "complete",
    participantProfileAt: NOW,
  });
  const query = { conversationId: id, includeTest: false, limit: 5, now: NOW + 1 };
  expect((await conversations.getWithMessages(tenant, query))?.head).toEqual(head);
  expect((await conversations.snapshots([id])).get(id)).toMatchObject({
    handle: "ada.lind",
    username: "ada.lind",
    profile: "complete",
    profileFetchedAt: NOW,
  });
});

it("a stored profile shows its picture until the last millisecond before the URL expires", async () => {
  const one = await conversation();
  await profiles.save(one.id, adaProfile, NOW);
  expect((await shownProfile(one, NOW + 999))?.at(-1)).toBe("https://cdn.example/ada.jpg");
  expect((await shownProfile(one, NOW + 1_000))?.at(-1)).toBeNull();
});

it("a stored profile loses an expired picture with the next message, unless a new one is stored by then", async () => {
  const pictureOf = async (id: string) => {
    const Key = headKey(id);
    const Item = await readItem(tableHandle, Key);
    return [Item?.pp, Item?.px, Item?.lm];
  };
  const ended = NOW + 1_000;
  const next = { sentAt: NOW + 2_000 };
  const one = await conversation();
  await profiles.save(one.id, adaProfile, NOW);
  expect((await conversations.snapshots([one.id])).get(one.id)?.pictureEndsAt).toBe(ended);
  const second = sampleMessage(one.tenant, { id: "m2", ...next });
  expect(
    (await conversations.advanceHead(one.tenant, second, { ...SAMPLE_INBOX, expiredPictureEndsAt: ended })).started,
  ).toBe(false);
  expect(await pictureOf(one.id)).toEqual([undefined, undefined, shortHash("m2")]);

  const other = await conversation();
  await profiles.save(other.id, adaProfile, NOW);
  const renewed = { url: "https://cdn.example/new.jpg", expiresAt: NOW + 9_000 };
  await profiles.save(other.id, { ...adaProfile, picture: renewed }, NOW + 1_500);
  const third = sampleMessage(other.tenant, { id: "m3", ...next });
  await conversations.advanceHead(other.tenant, third, { ...SAMPLE_INBOX, expiredPictureEndsAt: ended });
  expect(await pictureOf(other.id)).toEqual([renewed.url, renewed.expiresAt, shortHash("m3")]);
  // An older message is refused as always.
  await conversations.advanceHead(other.tenant, sampleMessage(other.tenant, { id: "m0", sentAt: NOW - 1 }), {
    ...SAMPLE_INBOX,
    expiredPictureEndsAt: ended,
  });
  expect(await pictureOf(other.id)).toEqual([renewed.url, renewed.expiresAt, shortHash("m3")]);
});

it("a stored profile with only a full name has no user name", async () => {
  const one = await conversation();
  await profiles.save(
    one.id,
    { state: "complete", handle: "Ada Lind", username: null, name: null, picture: null },
    NOW,
  );
  expect(await shownProfile(one)).toEqual(["complete", "Ada Lind", null, null]);
});

it("a stored profile loses what the person removed, and keeps everything when the profile is unavailable", async () => {
  const one = await conversation();
  await profiles.save(one.id, adaProfile, NOW);
  await profiles.save(one.id, { state: "unavailable" }, NOW + 1);
  expect(await shownProfile(one)).toEqual(["unavailable", "ada.lind", "ada.lind", "https://cdn.example/ada.jpg"]);
  await profiles.save(one.id, { state: "partial", handle: null, username: null, name: null, picture: null }, NOW + 2);
  expect(await shownProfile(one)).toEqual(["partial", null, null, null]);
});

it("a stored profile is that of the newest fetch, for any order of the writes, including repeats and lost responses", async () => {
  const states = ["complete", "partial", "unavailable"] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 6 }), async (order) => {
      const one = await conversation();
      // One per run: the SDK stops retrying when too much is lost.
      const end = injectFaults(table.client, ({ index }) => (index === 0 ? "lost" : "pass"));
      try {
        for (const at of order) {
          const state = states[at] ?? "complete";
          const profile = { state, handle: `name ${at}`, username: null, picture: null } as Profile;
          await profiles.save(one.id, profile, NOW + at);
        }
      } finally {
        end();
      }
      const newest = Math.max(...order);
      const head = await conversations.get(one.tenant, one.id, NOW + 5);
      expect(head).toMatchObject({ participantProfile: states[newest], participantProfileAt: NOW + newest });
      if (newest < 2) expect(head?.participantHandle).toBe(`name ${newest}`);
    }),
    { numRuns: 30 },
  );
});

it("a stored profile survives later messages", async () => {
  const one = await conversation();
  await profiles.save(one.id, adaProfile, NOW);
  await conversations.advanceHead(
    one.tenant,
    sampleMessage(one.tenant, { id: "later", sentAt: NOW + 9 }),
    SAMPLE_INBOX,
  );
  expect((await shownProfile(one))?.slice(0, 2)).toEqual(["complete", "ada.lind"]);
});

it("no profile is stored where there is no conversation", async () => {
  const tenant = newTenant();
  await profiles.save(sampleConversationId(tenant), adaProfile, NOW);
  const Key = headKey(sampleConversationId(tenant));
  expect(await readItem(tableHandle, Key)).toBeUndefined();
});

it("no profile is stored for a conversation that was erased after the fetch started, even if the person wrote again", async () => {
  const tenant = newTenant();
  const id = sampleConversationId(tenant);
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "again" }), {
    ...SAMPLE_INBOX,
    erasedAt: NOW - 5,
  });
  await profiles.save(id, adaProfile, NOW - 6);
  await profiles.save(id, adaProfile, NOW - 5);
  expect((await shownProfile({ tenant, id }))?.[0]).toBe("pending");
  await profiles.save(id, adaProfile, NOW - 4);
  expect((await shownProfile({ tenant, id }))?.[0]).toBe("complete");
});

it("no profile is stored on the rest of an erased head", async () => {
  const tenant = newTenant();
  const id = sampleConversationId(tenant);
  await setAttributes(tableHandle, headKey(id), { ea: NOW - 9 });
  await profiles.save(id, adaProfile, NOW);
  expect((await conversations.snapshots([id])).get(id)).toMatchObject({
    exists: false,
    profile: "pending",
    handle: null,
  });
});
