import { describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { renderMessageEvent } from "#features/inbox/events/message.ts";
import { windowAt } from "#features/inbox/rules/messaging-window.ts";
import { contentHash } from "#features/sending/rules/sends.ts";
import { sendRecordKey } from "#features/sending/store/items.ts";
import { sendRecordStore } from "#features/sending/store/send-records.ts";
import { injectFaults } from "../../../support/faults.ts";
import {
  acceptedOutcome,
  type ConversationFixture,
  expectedHead,
  openConversationFixture,
  type PendingReply,
  refusedOutcome,
  unknownOutcome,
} from "../../../support/flows/conversation-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { deleteItem } from "../../../support/stores/items.ts";

const testEnv = openedOnce(openTestEnv);

const OUR_APP = "1234567890";
const platforms = ["instagram", "messenger"] as const;
type PlatformName = (typeof platforms)[number];

/** The echo of a send. Messenger includes the app id and the metadata, Instagram neither. */
const sendEcho = (
  fixture: ConversationFixture,
  platform: PlatformName,
  send: PendingReply,
  mid: string,
  text: string,
) =>
  fixture.echo(mid, text, {
    ...(platform === "messenger" ? { echo: { appId: OUR_APP, metadata: send.metadata } } : {}),
  });

/** The account's only message in the conversation. Asserts that head, events and send record agree on it. */
async function onlyMessage(fixture: ConversationFixture, mid: string) {
  const rows = await fixture.messageRows();
  const [only, ...more] = rows.filter(({ message }) => message.direction !== "inbound");
  expect(more).toEqual([]);
  expect(only?.message.id).toBe(mid);
  expect(await fixture.head()).toMatchObject(expectedHead(rows));
  const events = (await fixture.messageEvents()).filter(({ position: place }) => place === only?.position);
  expect(new Set(events.map(({ eventUlid }) => eventUlid))).toEqual(new Set([only?.message.eventUlid]));
  expect(events.every(({ type }) => type === "message.sent")).toBe(true);
  return only?.message;
}

/** The requests to the table of `work`, in their order. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const end = injectFaults(testEnv.client, ({ command }) => {
    commands.push(command);
    return "pass";
  });
  await work();
  end();
  return commands;
}

const OUTBOUND_FIELDS = { direction: "outbound", sentVia: "api_in_window", actorId: null };
const ECHO_FIELDS = { direction: "echo", sentVia: "native_app", actorId: null };

type OrderStep = "echo" | "accepted" | "lost" | "dies";
const stepOrders: readonly (readonly OrderStep[])[] = [
  ["accepted"],
  ["accepted", "echo"],
  ["echo", "accepted"],
  ["echo", "accepted", "echo"],
  ["echo", "echo", "accepted"],
  ["accepted", "echo", "echo"],
  ["lost", "echo"],
  ["echo", "lost"],
  ["lost", "echo", "echo"],
  ["echo", "lost", "echo"],
  ["dies", "echo"],
  ["echo", "dies"],
  ["dies", "echo", "echo"],
  ["echo", "dies", "echo"],
];

describe.each(platforms)("on %s", (platform) => {
  it.each(stepOrders.map((order) => [order.join(", "), order] as const))(
    "a send is one outbound message with one event and settles as sent: %s",
    async (_name, order) => {
      const fixture = await openConversationFixture(testEnv, platform);
      const send = await fixture.startReply("hi");
      testEnv.advance(200);
      const mid = `${fixture.tenant}-out`;
      let messageExists = false;
      for (const step of order) {
        if (step === "echo") await sendEcho(fixture, platform, send, mid, " hi\n");
        if (step === "accepted") expect(await send.answer(acceptedOutcome(mid))).toEqual({ messageId: mid });
        if (step === "lost") expect(await send.answer(unknownOutcome)).toMatchObject({ detail: "outcome_unknown" });
        if (step === "dies") await send.crash();
        testEnv.advance(SECOND);
        messageExists ||= step === "echo" || step === "accepted";
        if (messageExists) expect(await onlyMessage(fixture, mid)).toMatchObject(OUTBOUND_FIELDS);
      }
      expect(await fixture.records()).toMatchObject([{ st: "sent", m: mid }]);
      // The person's message and this one. Every other event is marked as repeated.
      expect((await fixture.messageEvents()).filter(({ repeated }) => !repeated)).toHaveLength(2);
    },
  );

  it.each(faultPoints)(
    "a send ends the same when the echo's ingest crashes (%s) at any call and is retried",
    async (faultPoint) => {
      const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
        const fixture = await openConversationFixture(testEnv, platform);
        const send = await fixture.startReply("hi");
        const mid = `${fixture.tenant}-out`;
        await strike.during(() => sendEcho(fixture, platform, send, mid, "hi")).catch(() => {});
        await sendEcho(fixture, platform, send, mid, "hi");
        await send.answer(acceptedOutcome(mid));
        expect(await onlyMessage(fixture, mid)).toMatchObject(OUTBOUND_FIELDS);
        expect(await fixture.records()).toMatchObject([{ st: "sent", m: mid, b: "answer" }]);
      });
      // Route, tenant state, snapshot, marker, record, claim, message, head, event.
      expect(calls).toBeGreaterThanOrEqual(9);
    },
  );

  it.each(faultPoints)(
    "a send ends the same when the sender crashes (%s) at any call and the echo arrives",
    async (faultPoint) => {
      const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
        const fixture = await openConversationFixture(testEnv, platform);
        const send = await fixture.startReply("hi");
        const mid = `${fixture.tenant}-out`;
        await strike.during(() => send.answer(acceptedOutcome(mid))).catch(() => {});
        testEnv.advance(MINUTE);
        await sendEcho(fixture, platform, send, mid, "hi");
        expect(await onlyMessage(fixture, mid)).toMatchObject(OUTBOUND_FIELDS);
        expect(await fixture.records()).toMatchObject([{ st: "sent", m: mid }]);
      });
      // Settle, marker, message, head, event.
      expect(calls).toBeGreaterThanOrEqual(5);
    },
  );

  it("a send that is settled gets an echo that writes nothing and publishes nothing, however often it comes", async () => {
    const fixture = await openConversationFixture(testEnv, platform);
    const send = await fixture.startReply("hi");
    const mid = `${fixture.tenant}-out`;
    await send.answer(acceptedOutcome(mid));
    const events = await fixture.messageEvents();
    for (let echoes = 0; echoes < 2; echoes++) {
      const commands = await commandsOf(() => sendEcho(fixture, platform, send, mid, "hi"));
      // Route and tenant state; snapshot, marker, due item.
      expect(commands.filter((command) => !/^(GetItem|Query)$/.test(command))).toEqual(["BatchGetItem"]);
    }
    expect(await fixture.messageEvents()).toEqual(events);
    expect(await onlyMessage(fixture, mid)).toMatchObject(OUTBOUND_FIELDS);
  });

  it("a send whose due item stands is completed by its echo", async () => {
    const fixture = await openConversationFixture(testEnv, platform);
    const send = await fixture.startReply("hi");
    const mid = `${fixture.tenant}-out`;
    const end = injectFaults(testEnv.client, ({ command }) => (command === "DeleteItem" ? "fail" : "pass"));
    await send.answer(acceptedOutcome(mid));
    end();
    const events = await fixture.messageEvents();
    await sendEcho(fixture, platform, send, mid, "hi");
    expect(await fixture.messageEvents()).toHaveLength(events.length + 1);
    expect(await onlyMessage(fixture, mid)).toMatchObject(OUTBOUND_FIELDS);
  });

  it("a send that was unsent before its message was stored is unsent by its echo", async () => {
    const fixture = await openConversationFixture(testEnv, platform);
    const send = await fixture.startReply("hi");
    const mid = `${fixture.tenant}-out`;
    await fixture.unsend(mid);
    await send.answer(acceptedOutcome(mid));
    await sendEcho(fixture, platform, send, mid, "hi");
    const rows = await fixture.messageRows();
    const [row] = rows.filter(({ message }) => message.direction === "outbound");
    expect(row?.message).toMatchObject({ id: mid, text: "", unsentAt: expect.any(Number) });
  });

  it("a send has its actor, its hold and its reply_to even when only the echo arrives", async () => {
    for (const dies of ["before the answer", "between mark and row"] as const) {
      const fixture = await openConversationFixture(testEnv, platform);
      const mid = `${fixture.tenant}-out`;
      const sendFields = { via: "api_human_agent", actorId: "usr_1", holdId: "hold_1", replyTo: "m0" } as const;
      const send = {
        id: newUlid(testEnv.now()),
        content: contentHash("hi", []),
        scope: "live",
        ...sendFields,
      } as const;
      await sendRecordStore(testEnv.table).start(fixture.id, send, testEnv.now());
      const { via: sentVia, ...rest } = sendFields;
      if (dies === "between mark and row") {
        const { outboundMessages } = testEnv.ingestPorts(await testEnv.newQueues());
        const [hello] = (await fixture.messageRows()).map(({ message }) => message);
        if (!hello) throw new Error("No one wrote.");
        await outboundMessages.claimMarker(
          { ...hello, id: mid, direction: "outbound", sentVia, ...rest },
          testEnv.now(),
        );
      }
      testEnv.advance(SECOND);
      const inFlight = { metadata: send.id } as PendingReply;
      await sendEcho(fixture, platform, inFlight, mid, "hi");
      const message = await onlyMessage(fixture, mid);
      expect(message).toMatchObject({ direction: "outbound", sentVia, ...rest });
      if (!message) throw new Error("There is no message.");
      expect(JSON.parse(renderMessageEvent(fixture.tenant, message).body).data.message).toMatchObject({
        sent_via: "api_human_agent",
        actor_id: "usr_1",
        hold_id: "hold_1",
        reply_to: "m0",
      });
    }
  });

  it("a send is not stored, without an error, when its record was erased during the platform call", async () => {
    for (const outcome of [acceptedOutcome("mid-erased"), unknownOutcome, refusedOutcome]) {
      const fixture = await openConversationFixture(testEnv, platform);
      const send = await fixture.startReply("hi");
      await deleteItem(testEnv.table, sendRecordKey(fixture.id, send.metadata));
      const replyResult = await send.answer(outcome);
      const expectedRefusal = outcome === unknownOutcome ? { refused: "outcome_unknown" } : { refused: "send_failed" };
      expect(replyResult).toMatchObject(
        outcome === unknownOutcome || outcome === refusedOutcome ? expectedRefusal : { messageId: "mid-erased" },
      );
      expect(await fixture.records()).toEqual([]);
      expect((await fixture.messageRows()).map(({ message }) => message.direction)).toEqual(["inbound"]);
    }
  });
});

it.each([
  ["the echoes alone", ["echo 1", "echo 2"]],
  ["the echoes the other way round", ["echo 2", "echo 1"]],
  ["one echo, its repeat, and the other", ["echo 2", "echo 2", "echo 1", "echo 1"]],
  ["an echo that took the other's record, which was answered since", ["echo 2", "answer 2", "lose 1", "echo 1"]],
  ["answers in between", ["echo 2", "answer 1", "echo 1", "answer 2"]],
  ["one lost, one refused", ["refuse 2", "lose 1", "echo 1"]],
] as const)("two sends with the same text are two outbound messages: %s", async (_name, steps) => {
  const fixture = await openConversationFixture(testEnv, "instagram");
  const first = await fixture.startReply("same");
  testEnv.advance(1);
  const sends = { 1: first, 2: await fixture.startReply("same") };
  const eventIds = new Set<string>();
  for (const step of steps) {
    testEnv.advance(SECOND);
    const [kind, index = ""] = step.split(" ");
    const mid = `${fixture.tenant}-${index}`;
    const send = index === "1" ? sends[1] : sends[2];
    if (kind === "echo") await fixture.echo(mid, "same");
    if (kind === "answer") await send.answer(acceptedOutcome(mid));
    if (kind === "lose") await send.answer(unknownOutcome);
    if (kind === "refuse") await send.answer(refusedOutcome);
    if (kind === "echo" || kind === "answer") eventIds.add(mid);
  }
  const rows = (await fixture.messageRows()).filter(({ message }) => message.direction !== "inbound");
  expect(new Set(rows.map(({ message }) => message.id))).toEqual(eventIds);
  expect(rows.map(({ message }) => message)).toEqual(rows.map(() => expect.objectContaining(OUTBOUND_FIELDS)));
  const claims = (await fixture.records()).filter(({ b }) => b === "echo").map(({ m }) => m);
  expect(new Set(claims).size).toBe(claims.length);
});

it("two sends with the same text are claimed once each when both echoes arrive concurrently", async () => {
  const fixture = await openConversationFixture(testEnv, "instagram");
  await fixture.startReply("same");
  await fixture.startReply("same");
  await Promise.all(["a", "b", "a", "b"].map((mid) => fixture.echo(`${fixture.tenant}-${mid}`, "same")));
  expect((await fixture.records()).map(({ m }) => m).sort()).toEqual([`${fixture.tenant}-a`, `${fixture.tenant}-b`]);
  const rows = (await fixture.messageRows()).map(({ message }) => message.direction);
  expect(rows.filter((direction) => direction === "outbound")).toHaveLength(2);
});

it.each([
  ["other words", "instagram", "not hi", {}],
  ["the page inbox", "messenger", "hi", { echo: { appId: "26390203743090", metadata: null } }],
  ["another app's metadata", "messenger", "hi", { echo: { appId: "777", metadata: "theirs" } }],
  ["metadata of a send that is not here", "messenger", "hi", { echo: { appId: "777", metadata: newUlid(1) } }],
] as const)(
  "an echo without a matching send stays an echo while a send is unsettled: %s",
  async (_name, platform, text, rest) => {
    const fixture = await openConversationFixture(testEnv, platform);
    const send = await fixture.startReply("hi");
    await send.answer(unknownOutcome);
    const mid = `${fixture.tenant}-native`;
    await fixture.echo(mid, text, rest);
    await fixture.echo(mid, text, rest);
    const appId = "echo" in rest ? rest.echo.appId : null;
    expect(await onlyMessage(fixture, mid)).toMatchObject({
      ...ECHO_FIELDS,
      sentVia: appId === "777" ? "other_app" : "native_app",
    });
    expect(await fixture.records()).toMatchObject([{ st: "unknown" }]);
  },
);

it("an echo without a matching send stays an echo when the send was refused, was a test or is outside the time window", async () => {
  const fixture = await openConversationFixture(testEnv, "instagram");
  await (await fixture.startReply("hi")).answer(refusedOutcome);
  await (await fixture.startReply("hi", "test")).answer(unknownOutcome);
  const firstReply = await fixture.startReply("hi");
  testEnv.advance(15 * MINUTE + 1);
  await fixture.echo(`${fixture.tenant}-1`, "hi");
  await firstReply.answer(unknownOutcome);
  const at = testEnv.now() - MINUTE;
  testEnv.advance(1);
  const late = await fixture.startReply("ho");
  await fixture.echo(`${fixture.tenant}-2`, "ho", { at });
  const outbound = (await fixture.messageRows()).filter(({ message }) => message.direction !== "inbound");
  expect(outbound.map(({ message }) => message)).toEqual(outbound.map(() => expect.objectContaining(ECHO_FIELDS)));
  expect(outbound).toHaveLength(2);
  await late.answer(unknownOutcome);
});

it("an echo without a matching send matches a send at both edges of the time window", async () => {
  const fixture = await openConversationFixture(testEnv, "instagram");
  await fixture.startReply("first");
  testEnv.advance(15 * MINUTE);
  await fixture.echo(`${fixture.tenant}-1`, "first");
  await fixture.startReply("second");
  await fixture.echo(`${fixture.tenant}-2`, "second", { at: testEnv.now() - MINUTE });
  const outbound = (await fixture.messageRows()).filter(({ message }) => message.direction !== "inbound");
  expect(outbound.map(({ message }) => message)).toEqual(outbound.map(() => expect.objectContaining(OUTBOUND_FIELDS)));
  expect(outbound).toHaveLength(2);
});

it("an echo without a matching send opens no reply window in a conversation that the account started", async () => {
  const fixture = await openConversationFixture(testEnv, "instagram");
  const stranger = "5551230000";
  await fixture.echo(`${fixture.tenant}-first`, "you won", { participantId: stranger });
  const query = { before: null, limit: 10, now: testEnv.now() };
  const { heads } = await testEnv.ingestPorts(await testEnv.newQueues()).conversations.inbox(fixture.tenant, query);
  const head = heads.find(({ ref }) => ref.participantId === stranger);
  expect(head).toMatchObject({ lastDirection: "echo", lastInboundAt: null });
  expect(windowAt(head?.lastInboundAt ?? null, testEnv.now())).toEqual({ state: "no_inbound", expiresAt: null });
});
