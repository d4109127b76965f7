import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { parseConversationId } from "#features/inbox/rules/messages.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { journalSubject } from "#features/recovery/journal.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { restoredRowStore } from "#features/recovery/store/restored-rows.ts";
import { CANARY, openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { sampleMessage } from "../../../support/stores/samples.ts";

// After a restore of the table to an earlier time, the platform has messages whose sends the table does not know.

const { testEnv, fixture } = replyFixtures();

type Of = Pick<typeof fixture, "tenant" | "accountRef">;
const rows = () => restoredRowStore(testEnv.table);
const stopSends = ({ tenant, accountRef }: Of, from = testEnv.now() - HOUR) =>
  rows().stopSends(tenant, accountRef, from);
/** A restore to an hour ago, which ends now. */
async function restored(of: Of = fixture): Promise<void> {
  const [from, until] = [testEnv.now() - HOUR, testEnv.now()];
  await stopSends(of, from);
  await rows().resumeSends(of.tenant, of.accountRef, { from, until, isUnread: false });
}
const keyed = (key: string, text = "hi") => fixture.sendReply({ idempotencyKey: key, text });

it("no message is sent while the table is restored, and the same key sends it afterwards", async () => {
  await stopSends(fixture);
  const refusal = { refused: "restoring", retryAfter: 60 };
  expect([await fixture.sendReply(), await keyed("k")]).toEqual([refusal, refusal]);
  expect(fixture.platformCalls).toEqual([]);
  // A message of a test key reaches no one.
  expect(await fixture.sendReply({}, "test")).toHaveProperty("messageId");
  await restored();
  expect(await keyed("k")).toHaveProperty("messageId");
  expect(fixture.platformCalls).toHaveLength(1);
});

it("a send with a key gets the fetched message of its text on the day after a restore, and each message answers one key", async () => {
  await fixture.echo("fetched-1", " hi");
  testEnv.advance(SECOND);
  await fixture.echo("fetched-2", "hi");
  await restored();
  let replays = 0;
  const onReplay = () => {
    replays++;
  };
  const first = { messageId: "fetched-1" };
  expect(await fixture.sendReply({ idempotencyKey: "k-1", onReplay })).toEqual(first);
  expect(await fixture.sendReply({ idempotencyKey: "k-1", onReplay })).toEqual(first);
  expect(replays).toBe(2);
  expect(await keyed("k-2")).toEqual({ messageId: "fetched-2" });
  expect(fixture.platformCalls).toEqual([]);
  expect(await keyed("k-3")).toHaveProperty("messageId");
  expect(await keyed("k-4", "another text")).toHaveProperty("messageId");
  expect(fixture.platformCalls).toHaveLength(2);
});

it("a send whose process died after it took a fetched message gets the same one", async () => {
  await fixture.echo("fetched-1", "hi");
  await fixture.echo("fetched-2", "hi", { at: testEnv.now() + SECOND });
  await restored();
  await fixture.sendAndDie("fetchedMessages.claim", { idempotencyKey: "k-1" });
  testEnv.advance(2 * MINUTE);
  expect(await keyed("k-1")).toEqual({ messageId: "fetched-1" });
  expect(await keyed("k-2")).toEqual({ messageId: "fetched-2" });
  expect(fixture.platformCalls).toEqual([]);
});

it("a fetched message answers neither a send without a key, nor one of another time, nor one a day after the restore", async () => {
  await fixture.echo("before", "hi", { at: testEnv.now() - 2 * HOUR });
  await restored();
  expect(await keyed("k-0")).not.toEqual({ messageId: "before" });
  await fixture.echo("fetched", "hi");
  const { messageId } = (await fixture.sendReply()) as { messageId: string };
  expect(messageId).not.toBe("fetched");
  testEnv.advance(DAY);
  await fixture.take({ messageId: `${fixture.tenant}-later` });
  expect(await keyed("k-1")).not.toEqual({ messageId: "fetched" });
  expect(fixture.platformCalls).toHaveLength(3);
});

it("a message that this service sent answers no other key", async () => {
  const sent = await keyed("k-1");
  await restored();
  expect(await keyed("k-2")).not.toEqual(sent);
  expect(fixture.platformCalls).toHaveLength(2);
});

it("the outcome of media is unknown when media of the same type was fetched", async () => {
  await fixture.echo("fetched", "", { attachments: [{ type: "image", url: null }] });
  await restored();
  const attachments = [{ type: "image", url: "https://example.com/a.png" }];
  const send = (idempotencyKey: string) => fixture.sendReply({ idempotencyKey, text: null, attachments });
  expect(await send("k-1")).toEqual({ refused: "outcome_unknown", detail: "outcome_unknown" });
  expect(await send("k-2")).toHaveProperty("messageId");
  expect(fixture.platformCalls).toHaveLength(1);
});

it("a held message that passes its check is not sent when the platform has it from before the restore", async () => {
  const held = await openHoldFixture(testEnv);
  const account = parseConversationId(held.tenant, held.conversation)?.account;
  if (!account) throw new Error("The conversation has no account.");
  const fetched = sampleMessage(held.tenant, {
    ...{ id: "fetched", sentAt: testEnv.now(), account, conversationId: held.conversation },
    ...{ direction: "echo", sentVia: "other_app", text: CANARY },
  });
  await messageStore(testEnv.table).record(held.tenant, fetched, testEnv.now());
  await restored({ tenant: held.tenant, accountRef: account });
  const hold = await held.newHold({ idempotencyKey: "k-1" });
  expect(await held.complete(hold)).toMatchObject({ state: { status: "sent", platformMessageId: "fetched" } });
  expect(held.calls).toEqual([]);
  const other = await held.newHold({ idempotencyKey: "k-2" });
  expect(await held.complete(other)).toMatchObject({
    state: { status: "sent", platformMessageId: `${held.tenant}-sent-1` },
  });
});

const unknownOutcome = { refused: "outcome_unknown", detail: "outcome_unknown" };

it("a second restore within a day of the first answers the keys of both times that were lost", async () => {
  const first = testEnv.now() - HOUR;
  await fixture.echo("lost-first", "hi");
  await stopSends(fixture, first);
  await rows().resumeSends(fixture.tenant, fixture.accountRef, { from: first, until: testEnv.now(), isUnread: false });
  testEnv.advance(2 * HOUR);
  await restored();
  // A run that was killed continues.
  await restored();
  expect((await fixture.account())?.restore).toMatchObject({ answersFrom: first });
  expect(await keyed("k-1")).toEqual({ messageId: "lost-first" });
  // No key of the first time is repeated any more.
  testEnv.advance(2 * DAY);
  await restored();
  expect((await fixture.account())?.restore).toMatchObject({ answersFrom: testEnv.now() - HOUR });
});

it("a second restore during the first answers the keys since the first one", async () => {
  const first = testEnv.now() - 3 * DAY;
  await stopSends(fixture, first);
  await restored();
  expect((await fixture.account())?.restore).toMatchObject({ from: testEnv.now() - HOUR, answersFrom: first });
});

it("the outcome of an unknown key is unknown in a conversation that the platform shows only in part", async () => {
  await fixture.echo("fetched", "hi");
  await restored();
  const subject = journalSubject({ kind: "conversation.erase", conversationId: fixture.id, upTo: 0 });
  await restoredErasureStore(testEnv.table).notePartlyRead(subject, testEnv.now());
  expect(await keyed("k-1")).toEqual({ messageId: "fetched" });
  expect([await keyed("k-2"), await keyed("k-2", "another text")]).toEqual([
    unknownOutcome,
    expect.objectContaining({ refused: "idempotency_conflict" }),
  ]);
  expect(fixture.platformCalls).toEqual([]);
  expect(await fixture.sendReply()).toHaveProperty("messageId");
  testEnv.advance(DAY);
  await fixture.take({ messageId: `${fixture.tenant}-later` });
  expect(await keyed("k-3")).toHaveProperty("messageId");
});

it("the outcome of an unknown key is unknown in a conversation that was erased since the restored time", async () => {
  await restored();
  testEnv.advance(MINUTE);
  await fixture.eraseConversation();
  testEnv.advance(MINUTE);
  await fixture.take({ messageId: `${fixture.tenant}-after` });
  expect(await keyed("k-1")).toEqual(unknownOutcome);
  expect(fixture.platformCalls).toEqual([]);
  expect(await fixture.sendReply()).toHaveProperty("messageId");
});

it("the outcome of an unknown key is unknown in a conversation that only the journal says was erased", async () => {
  await restored();
  const subject = journalSubject({ kind: "conversation.erase", conversationId: fixture.id, upTo: 0 });
  const { note } = restoredErasureStore(testEnv.table);
  await note(subject, testEnv.now() - 2 * HOUR, testEnv.now());
  expect(await keyed("k-1")).toHaveProperty("messageId");
  await note(subject, testEnv.now() - MINUTE, testEnv.now());
  expect(await keyed("k-2")).toEqual(unknownOutcome);
});

it("an account whose history was not read sends nothing until it is, for a day", async () => {
  const { tenant, accountRef } = fixture;
  const { accountChecks } = openStores(testEnv.table);
  const [from, until] = [testEnv.now() - HOUR, testEnv.now()];
  const unread = async () => {
    const check = await accountChecks.get(tenant, accountRef);
    if (!check) throw new Error("The account has no check.");
    await accountChecks.noteBackfill(check, { since: from, until }, 0);
  };
  const resume = async (isUnread: boolean) => {
    await stopSends(fixture, from);
    await rows().resumeSends(tenant, accountRef, { from, until, isUnread });
  };
  const refusal = { refused: "restoring", retryAfter: 60 };
  await unread();
  // Another loss of webhooks stops no send.
  await resume(false);
  expect(await keyed("k-0")).toHaveProperty("messageId");
  await resume(true);
  expect([await fixture.sendReply(), await keyed("k-1")]).toEqual([refusal, refusal]);
  expect(await fixture.sendReply({}, "test")).toHaveProperty("messageId");
  await accountChecks.endBackfill(tenant, accountRef, { since: from, until });
  expect(await keyed("k-1")).toHaveProperty("messageId");
  await unread();
  expect(await keyed("k-2")).toEqual(refusal);
  testEnv.advance(DAY);
  await fixture.take({ messageId: `${tenant}-later` });
  expect(await keyed("k-2")).toHaveProperty("messageId");
});
