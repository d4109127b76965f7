import { beforeEach, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { useChangeFixture } from "../../../../support/flows/change-fixture.ts";
import {
  editEvent,
  type PlatformEvent,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { deleteItem } from "../../../../support/stores/items.ts";

const { testEnv, queues, fixture } = useChangeFixture();
let at: number;
beforeEach(() => {
  ({ at } = fixture);
});

const ingestEvent = (event: PlatformEvent, ports: IngestPorts = testEnv.ingestPorts(queues)) =>
  fixture.ingestWith(ports, event);

/** The tenant's conversations and the bodies of its events. */
async function rows(): Promise<{ conversations: string; bodies: string }> {
  const items = await fixture.tenantItems();
  const rowsOfKind = (kind: string) => JSON.stringify(items.filter(({ PK }) => `${PK}`.startsWith(`${kind}#`)));
  return { conversations: rowsOfKind("CONV"), bodies: rowsOfKind("E") };
}

it("the unsend of a message that has not arrived deletes the text of a pending edit", async () => {
  await ingestEvent(editEvent("m1", "secret", 1, at + 1));
  expect((await rows()).conversations).toContain("secret");
  await ingestEvent(unsendEvent("m1", at + 2));
  expect((await rows()).conversations).not.toContain("secret");
  const pendingChange = await pendingChangeStore(testEnv.table).get(fixture.conversation, "m1");
  expect(pendingChange).toEqual({ unsentAt: at + 2, edit: { text: "", count: 1, at: null }, reactions: [] });
});

it("the unsend of a message that has not arrived deletes the stored events of all its edits at once", async () => {
  for (const count of [1, 2, 3]) await ingestEvent(editEvent("m1", `secret ${count}`, count, at + count));
  for (const count of [1, 2, 3]) expect((await rows()).bodies).toContain(`secret ${count}`);
  await ingestEvent(unsendEvent("m1", at + 5));
  expect((await rows()).bodies).not.toContain("secret");
});

it("the unsend of a message that has not arrived deletes the stored event of a later edit at once", async () => {
  await ingestEvent(unsendEvent("m1", at + 5));
  const queuedEvents = await ingestEvent(editEvent("m1", "secret", 1, at + 1));
  expect(queuedEvents).toEqual([]);
  expect((await rows()).bodies).not.toContain("secret");
});

it("the unsend of a message that has not arrived deletes the stored events of its edits when the message arrives, if the unsend's process crashed", async () => {
  await ingestEvent(editEvent("m1", "secret", 2, at + 1));
  const ports = testEnv.ingestPorts(queues);
  const dying = { ...ports.eventBodies, deleteBodies: () => Promise.reject(new Error("died")) };
  await expect(ingestEvent(unsendEvent("m1", at + 2), { ...ports, eventBodies: dying })).rejects.toThrow("died");
  expect((await rows()).bodies).toContain("secret");
  const queuedEvents = await ingestEvent(textEvent("m1", "zero", at));
  expect(queuedEvents).toEqual([]);
  expect((await rows()).bodies).not.toContain("secret");
});

const ingestFirst = () => ingestEvent(textEvent("m1", "zero", at));
const dies = async () => {
  const ports = testEnv.ingestPorts(queues);
  const messageChanges = { ...ports.messageChanges, unsend: () => Promise.reject(new Error("died")) };
  await expect(ingestEvent(textEvent("m1", "zero", at), { ...ports, messageChanges })).rejects.toThrow("died");
};
/** Ports that ingest the message right after the given call. */
function portsWithInterleaving(after: "find" | "edit", interleaved: () => Promise<unknown>): IngestPorts {
  const ports = testEnv.ingestPorts(queues);
  const { find } = ports.messageChanges;
  const { edit } = ports.pendingChanges;
  const then = async <T>(result: Promise<T>): Promise<T> => {
    const effects = await result;
    await interleaved();
    return effects;
  };
  return after === "find"
    ? { ...ports, messageChanges: { ...ports.messageChanges, find: (...args) => then(find(...args)) } }
    : { ...ports, pendingChanges: { ...ports.pendingChanges, edit: (...args) => then(edit(...args)) } };
}

it.each([
  ["before it is left for it", "find", ingestFirst],
  ["after it was left for it", "edit", ingestFirst],
  ["before it is left for it, and its worker dies", "find", dies],
  ["after it was left for it, and its worker dies", "edit", dies],
] as const)(
  "an edit that arrives with a message that has a pending unsend leaves no text and is not published: %s",
  async (_when, after, interleaved) => {
    await ingestEvent(unsendEvent("m1", at + 5));
    const queuedEvents = await ingestEvent(
      editEvent("m1", "secret", 1, at + 1),
      portsWithInterleaving(after, interleaved),
    );
    expect(queuedEvents).toEqual([]);
    const { conversations, bodies } = await rows();
    expect(bodies).not.toContain("secret");
    expect(conversations).not.toMatch(/secret|zero/);
  },
);

it("the row of an unsent message holds no content and nothing about the person, and is found by its id", async () => {
  await ingestEvent(textEvent("m0", "hello", at - 1));
  const profile = {
    state: "complete",
    handle: "Ada Canary",
    username: "ada.canary",
    name: "Ada C.",
    picture: null,
  } as const;
  await profileStore(testEnv.table).save(fixture.conversation, profile, testEnv.now());
  const context = {
    reply_to: { mid: "m0", story: { id: "1", url: "https://cdn.example/secret" } },
    referral: { ref: "secret" },
    attachments: [{ type: "location", title: "secret", payload: { coordinates: { lat: 1, long: 2 } } }],
  };
  const { content } = textEvent("m1", "secret", at) as { content: { message: object } };
  await ingestEvent({ at, content: { message: { ...content.message, ...context } } });
  await ingestEvent(reactionEvent("m1", "react", at + 1));
  await ingestEvent(reactionEvent("m1", "react", at + 1, { fromAccount: true }));
  const row = async () => (await fixture.tenantItems()).find(({ i }) => i === `${fixture.tenant}#m1`) ?? {};
  expect(await row()).toMatchObject({ h: "Ada Canary", u: "ada.canary", n: "Ada C.", r: "m0", t: "secret" });
  expect(Object.keys(await row())).toEqual(expect.arrayContaining(["a", "q", "ra", "rf", "rp", "sy"]));
  await ingestEvent(editEvent("m1", "secret still", 1, at + 1));
  await ingestEvent(unsendEvent("m1", at + 2));
  expect(Object.keys(await row()).sort()).toEqual(["F", "G", "PK", "SK", "d", "e", "ec", "i", "s", "un", "x"]);
});

it("a change that comes before its message leaves the end of the conversation's head as it is", async () => {
  const sentAt = testEnv.now();
  await ingestEvent(textEvent("first", "shown", sentAt));
  const endsAt = Math.ceil((sentAt + 7 * DAY) / SECOND);
  testEnv.advance(6 * DAY);
  await ingestEvent(unsendEvent("missing", testEnv.now()));
  expect(await fixture.rawHead()).toMatchObject({ [Head.ttl]: endsAt, [Head.lastText]: "shown" });
});

it("a head that ends within the hour ends when such a change comes", async () => {
  const sentAt = testEnv.now();
  await ingestEvent(textEvent("first", "shown", sentAt));
  testEnv.advance(7 * DAY - HOUR + MINUTE);
  await ingestEvent(editEvent("missing", "edited", 1, testEnv.now()));
  expect(JSON.stringify(await fixture.rawHead())).not.toContain("shown");
  const page = { before: null, limit: 10, now: testEnv.now() };
  const { heads } = await fixture.inboxPorts.conversations.inbox(fixture.tenant, page);
  expect(heads).toEqual([]);
  // The head is that of a conversation without a message.
  await ingestEvent(textEvent("next", "new", testEnv.now()));
  expect(await fixture.rawHead()).toMatchObject({ [Head.lastText]: "new" });
});

it.each([
  ["while the head stands", false],
  ["after the head has ended", true],
])("the unsend of a message that comes days later applies to it %s", async (_, hasEnded) => {
  await ingestEvent(textEvent("first", "shown", testEnv.now()));
  testEnv.advance(6 * DAY);
  const sentAt = testEnv.now();
  await ingestEvent(unsendEvent("late", sentAt + SECOND));
  testEnv.advance(2 * DAY);
  const Key = headKey(fixture.conversation);
  // As the table's time to live does.
  if (hasEnded) await deleteItem(testEnv.table, Key);
  expect(await ingestEvent(textEvent("late", "taken back", sentAt))).toEqual([]);
  expect(await fixture.shownTexts()).toEqual([]);
  await fixture.expectUnsent("late");
});
