import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { dueSendKey } from "#features/sending/store/items.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { openReplyFixture, refusedWith, replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { countedMetrics } from "../../../support/metering/counted-metrics.ts";
import { readItem } from "../../../support/stores/items.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { linkTestAccount } from "../../accounts/flows/support/link-test-account.ts";

const { testEnv, fixture, renew } = replyFixtures();
beforeEach(() => {
  testEnv.advance(SECOND);
});

const eventTypes = async () => (await fixture.events()).map(({ type }) => type).sort();
const accountItem = async () => {
  const Key = accountItemKey(fixture.tenant, fixture.accountRef);
  return (await readItem(testEnv.table, Key)) ?? {};
};

it("a refused send is published as the message without an id, with the platform's error text", async () => {
  fixture.setPlatformResponse(refusedWith({ detail: "(#551) This person isn't available" }));
  expect(await fixture.sendReply({ text: "are you there?", replyTo: "m0" })).toEqual({
    refused: "send_failed",
    detail: "(#551) This person isn't available",
  });
  const [event, ...more] = await fixture.events();
  expect(more).toEqual([]);
  expect(eventSchema("message.failed").parse(event)).toEqual(event);
  expect(event?.data).toMatchObject({
    message: {
      id: null,
      conversation_id: fixture.id,
      direction: "outbound",
      text: "are you there?",
      sent_via: "api_in_window",
      reply_to: "m0",
    },
    error: { code: "send_failed", detail: "(#551) This person isn't available" },
  });
  expect(await fixture.records()).toMatchObject([{ st: "failed" }]);
  expect(await fixture.dueItems()).toEqual([]);
});

it("a refused send leaves nothing that an erasure misses", async () => {
  fixture.setPlatformResponse(refusedWith({}));
  await fixture.sendReply({ text: "the secret words" });
  expect(await fixture.events()).toHaveLength(1);
  await fixture.eraseConversation();
  expect(await fixture.events()).toEqual([]);
});

it.each([
  ["needs_reauth", "account.needs_reauth", "token_invalid"],
  ["restricted", "account.restricted", "policy"],
] as const)(
  "a refused send with account status %s updates and publishes the account once, and stops later sends",
  async (accountStatus, type, reason) => {
    // All four sends reach the platform before it responds to the first.
    const full = Promise.withResolvers<void>();
    fixture.setPlatformResponse(async () => {
      if (fixture.platformCalls.length === 4) full.resolve();
      await full.promise;
      return refusedWith({ accountStatus, detail: "the platform's error text" });
    });
    const results = await Promise.all(Array.from({ length: 4 }, () => fixture.sendReply()));
    expect(results).toEqual(Array(4).fill({ refused: "send_failed", detail: "the platform's error text" }));
    expect(await fixture.account()).toMatchObject({
      status: accountStatus,
      statusDetail: "the platform's error text",
      refreshError: null,
    });
    expect(await eventTypes()).toEqual([type, ...Array(4).fill("message.failed")].sort());
    const event = (await fixture.events()).find((one) => one.type === type);
    expect(eventSchema(type).parse(event)).toEqual(event);
    expect(event?.data).toMatchObject({ account: { status: accountStatus }, reason });

    const before = fixture.platformCalls.length;
    expect(await fixture.sendReply()).toMatchObject({ refused: `account_${accountStatus}`, detail: accountStatus });
    expect(fixture.platformCalls).toHaveLength(before);
    expect((await fixture.events()).filter((one) => one.type === "message.failed")).toHaveLength(4);
  },
);

it("a refused send does not change an account that was reconnected after the send started", async () => {
  const account = await fixture.account();
  fixture.setPlatformResponse(async () => {
    testEnv.advance(SECOND);
    const ports = { ...openStores(testEnv.table), vault: testEnv.newVault() };
    const link = { tenant: fixture.tenant, token: "a new token", author: { actor: "cli" }, now: testEnv.now() };
    if (account) await linkTestAccount(ports, { ...link, account });
    return refusedWith({ accountStatus: "needs_reauth" });
  });
  await fixture.sendReply();
  expect(await fixture.account()).toMatchObject({ status: "active", refreshError: null });
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a refused send keeps needs_reauth when the platform restricts the account too", async () => {
  fixture.setPlatformResponse((send) => refusedWith({ accountStatus: send.replyTo ? "restricted" : "needs_reauth" }));
  await Promise.all([fixture.sendReply(), fixture.sendReply({ replyTo: "m" })]);
  await fixture.sendReply();
  expect(await fixture.account()).toMatchObject({ status: "needs_reauth" });
});

it("a refused send of the human agent tag is recorded on the account, which stays active", async () => {
  fixture.setPlatformResponse(refusedWith({ class: "permission", humanAgentRefused: true }));
  await fixture.sendReply();
  expect(await accountItem()).toMatchObject({ human_agent_blocked_at: testEnv.now(), st: "active" });
});

it("a send whose outcome is unknown is published as failed after a minute without an echo, and not before", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  expect(await fixture.sendReply()).toEqual({ refused: "outcome_unknown", detail: "outcome_unknown" });
  testEnv.advance(MINUTE - 1);
  expect(await fixture.sweepSends()).toBe(0);
  expect(await eventTypes()).toEqual([]);
  testEnv.advance(1);
  expect(await fixture.sweepSends()).toBe(1);
  expect((await fixture.events())[0]).toMatchObject({
    type: "message.failed",
    data: {
      error: { message: expect.stringMatching(/^The platform's response was lost/), detail: "outcome_unknown" },
    },
  });
  expect(await fixture.sweepSends()).toBe(0);
});

it.each(["instagram", "messenger"] as const)(
  "a send with an unknown outcome becomes one outbound message by an echo, before or after message.failed (%s)",
  async (platform) => {
    for (const late of [false, true]) {
      await renew(platform);
      fixture.setPlatformResponse(unknownOutcome);
      await fixture.sendReply();
      testEnv.advance(late ? 2 * MINUTE : SECOND);
      if (late) await fixture.sweepSends();
      const [call] = fixture.platformCalls;
      const echo = platform === "messenger" ? { appId: "777", metadata: call?.metadata ?? "" } : null;
      await fixture.echo(`${fixture.tenant}-out`, "hi", echo ? { echo } : {});
      testEnv.advance(2 * MINUTE);
      await fixture.sweepSends();
      expect(await eventTypes()).toEqual([...(late ? ["message.failed"] : []), "message.sent"]);
      expect((await fixture.messageRows())[0]?.message).toMatchObject({
        direction: "outbound",
        sentVia: "api_in_window",
      });
      expect(await fixture.records()).toMatchObject([{ st: "sent" }]);
    }
  },
);

it("a send whose outcome is unknown is not published after its conversation was erased", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.sendReply();
  await fixture.eraseConversation();
  testEnv.advance(2 * MINUTE);
  await fixture.sweepSends();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.dueItems()).toEqual([]);
});

it.each([
  ["accepts", { kind: "accepted", messageId: "m" }],
  ["refuses", refusedWith({})],
] as const)("a send that the platform %s while its conversation is erased leaves nothing", async (_verb, outcome) => {
  fixture.setPlatformResponse(async () => {
    await fixture.eraseConversation();
    return outcome;
  });
  await fixture.sendReply();
  expect(await fixture.events()).toEqual([]);
  expect([await fixture.messageRows(), await fixture.records(), await fixture.dueItems()]).toEqual([[], [], []]);
  expect(await fixture.head()).toBeNull();
});

it.each([
  ["sent", { kind: "accepted", messageId: "m" }, { kind: "sent", messageId: "m" }],
  ["refused", refusedWith({ detail: "no" }), { kind: "refused", refusal: { refused: "send_failed", detail: "no" } }],
  ["unknown", unknownOutcome, { kind: "refused", refusal: { refused: "outcome_unknown", detail: "outcome_unknown" } }],
] as const)(
  "a send with an id that was used before returns the first result without a platform call: %s",
  async (_name, outcome, result) => {
    fixture.setPlatformResponse(outcome);
    const planned = await fixture.plan();
    const id = newUlid(testEnv.now());
    const perform = () => fixture.perform(planned, id);
    expect(await perform()).toEqual(result);
    testEnv.advance(SECOND);
    expect(await perform()).toEqual(result);
    expect(fixture.platformCalls).toHaveLength(1);
    testEnv.advance(2 * MINUTE);
    await fixture.sweepSends();
    expect(await fixture.dueItems()).toEqual([]);
    expect(await fixture.events()).toHaveLength(1);
  },
);

it("a sweep of sends catches up after minutes without a sweep", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.sweepSends();
  await fixture.sendReply();
  testEnv.advance(20 * MINUTE);
  await fixture.sendReply();
  testEnv.advance(6 * 60 * MINUTE);
  expect(await fixture.sweepSends()).toBe(2);
  expect(await eventTypes()).toEqual(["message.failed", "message.failed"]);
});

it("a sweep of sends publishes a send whose conversation has expired since", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  testEnv.advance(7 * DAY - MINUTE);
  await fixture.perform(await fixture.plan("agent-1"));
  expect(fixture.platformCalls).toHaveLength(1);
  testEnv.advance(2 * MINUTE);
  await fixture.sweepSends();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a sweep of sends that cannot settle one send settles the others, fails, and retries it", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.sendReply();
  const other = await openReplyFixture(testEnv);
  other.setPlatformResponse(unknownOutcome);
  await other.sendReply();
  testEnv.advance(2 * MINUTE);
  const ports = fixture.ports();
  const abandon: typeof ports.sendRecords.abandon = (conversation, id) =>
    conversation === fixture.id ? Promise.reject(new Error("injected")) : ports.sendRecords.abandon(conversation, id);
  const failingPorts = { ...ports, sendRecords: { ...ports.sendRecords, abandon } };
  await expect(settleDueSends(failingPorts, testEnv.now())).rejects.toThrow("injected");
  expect(await other.dueItems()).toEqual([]);
  testEnv.advance(MINUTE);
  await fixture.sweepSends();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a test send that the sweep settles is published as a test and does not change the head", async () => {
  const before = await fixture.head();
  const ports = fixture.ports();
  const record: typeof ports.outboundMessages.record = () => Promise.reject(new Error("injected"));
  const failingPorts = { ...ports, outboundMessages: { ...ports.outboundMessages, record } };
  expect(await fixture.sendReply({}, "test", failingPorts)).toHaveProperty("messageId");
  testEnv.advance(61 * SECOND);
  await fixture.sweepSends();
  expect(await fixture.events()).toMatchObject([
    { type: "message.sent", data: { message: { test: true, text: "hi" } } },
  ]);
  expect(await fixture.head()).toEqual(before);
  expect(fixture.platformCalls).toEqual([]);
});

it("attachments are sent by URL or upload, and are stored and published with the known URLs", async () => {
  const attachments = [
    { type: "image", url: "https://cdn.example/a.png" },
    { type: "image", attachmentId: "1234" },
  ];
  expect(await fixture.sendReply({ text: null, attachments })).toHaveProperty("messageId");
  expect(fixture.platformCalls[0]?.content).toEqual({ kind: "attachments", attachments });
  const expectedRows = [
    { type: "image", url: "https://cdn.example/a.png" },
    { type: "image", url: null },
  ];
  expect((await fixture.messageRows())[0]?.message).toMatchObject({ text: "", attachments: expectedRows });
  expect((await fixture.events())[0]?.data.message).toMatchObject({ text: "", attachments: expectedRows });
  expect(await fixture.head()).toMatchObject({ lastMessageText: "" });
});

it("attachments are matched by type when only an echo confirms the send", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.sendReply({ text: null, attachments: [{ type: "video", url: "https://cdn.example/a.mp4" }] });
  testEnv.advance(SECOND);
  const echoed = [{ type: "video", url: "https://platform.example/other" }] as const;
  await fixture.echo(`${fixture.tenant}-out`, "", { attachments: echoed });
  expect((await fixture.messageRows())[0]?.message).toMatchObject({ direction: "outbound", attachments: echoed });
});

it("attachments that a test key uploaded can only be sent with a test key", async () => {
  const attachments = [{ type: "image", attachmentId: "mock_att_1" }];
  expect(await fixture.sendReply({ text: null, attachments })).toMatchObject({ refused: "invalid_request" });
  expect(await fixture.sendReply({ text: null, attachments }, "test")).toHaveProperty("messageId");
});

it("the due item of a send has its own time and partition", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.sendReply();
  const [due] = await fixture.dueItems();
  const [record] = await fixture.records();
  expect(due).toMatchObject(dueSendKey(testEnv.now() + MINUTE, String(record?.SK).slice(2)));
});

it("a send that the platform refuses is counted once, and one that it accepts is not", async () => {
  testEnv.lines.length = 0;
  await fixture.sendReply({ text: "accepted" });
  expect(countedMetrics(testEnv.lines)).toEqual([]);
  fixture.setPlatformResponse(refusedWith({}));
  await fixture.sendReply({ text: "refused" });
  expect(countedMetrics(testEnv.lines)).toEqual([{ SendsRefused: 1 }]);
});
