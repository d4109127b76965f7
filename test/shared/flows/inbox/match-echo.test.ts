import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderMessageEvent } from "../../../../shared/domain/events/events.ts";
import { windowAt } from "../../../../shared/domain/inbox/conversations.ts";
import { contentHash } from "../../../../shared/domain/sending/sends.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { sendRecordKey } from "../../../../shared/stores/keys.ts";
import { sendRecordStore } from "../../../../shared/stores/sending/send-records.ts";
import {
  accepted,
  type BothSides,
  headFor,
  type InFlight,
  lost,
  openBothSides,
  refused,
} from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Strike, strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const OUR_APP = "1234567890";
const platforms = ["instagram", "messenger"] as const;
type PlatformName = (typeof platforms)[number];

/** What the platform tells of our own send: Messenger names the app and the metadata, Instagram nothing. */
const echoOf = (sides: BothSides, platform: PlatformName, send: InFlight, mid: string, text: string) =>
  sides.echo(mid, text, {
    ...(platform === "messenger" ? { echo: { appId: OUR_APP, metadata: send.metadata } } : {}),
  });

/** The one message of the account in the conversation, on whose head, events and record all agree. */
async function theOnly(sides: BothSides, mid: string) {
  const rows = await sides.rows();
  const [only, ...more] = rows.filter(({ message }) => message.direction !== "inbound");
  expect(more).toEqual([]);
  expect(only?.message.id).toBe(mid);
  expect(await sides.head()).toMatchObject(headFor(rows));
  const events = (await sides.announcements()).filter(({ place }) => place === only?.place);
  expect(new Set(events.map(({ eventUlid }) => eventUlid))).toEqual(new Set([only?.message.eventUlid]));
  expect(events.every(({ type }) => type === "message.sent")).toBe(true);
  return only?.message;
}

const OURS = { direction: "outbound", sentVia: "api_in_window", actorId: null };
const NATIVE = { direction: "echo", sentVia: "native_app", actorId: null };

type Step = "echo" | "accepted" | "lost" | "dies";
const orders: readonly (readonly Step[])[] = [
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

describe.each(platforms)("our own send on %s", (platform) => {
  it.each(orders.map((order) => [order.join(", "), order] as const))(
    "is one outbound message with one event, settled as sent: %s",
    async (_name, order) => {
      const sides = await openBothSides(house, platform);
      const send = await sides.send("hi");
      house.turn(200);
      const mid = `${sides.tenant}-out`;
      let known = false;
      for (const step of order) {
        if (step === "echo") await echoOf(sides, platform, send, mid, " hi\n");
        if (step === "accepted") expect(await send.answer(accepted(mid))).toEqual({ messageId: mid });
        if (step === "lost") expect(await send.answer(lost)).toMatchObject({ detail: "outcome_unknown" });
        if (step === "dies") await send.die();
        house.turn(SECOND);
        known ||= step === "echo" || step === "accepted";
        if (known) expect(await theOnly(sides, mid)).toMatchObject(OURS);
      }
      expect(await sides.records()).toMatchObject([{ st: "sent", m: mid }]);
      // The person's and this one: whatever else was announced says that it may have been before.
      expect((await sides.announcements()).filter(({ repeated }) => !repeated)).toHaveLength(2);
    },
  );

  it.each(strikes)(
    "ends the same when the echo's process is struck (%s) at any call and it comes again",
    async (strike) => {
      for (let k = 0; ; k++) {
        const sides = await openBothSides(house, platform);
        const send = await sides.send("hi");
        const mid = `${sides.tenant}-out`;
        const reached = await struck(strike, k, () => echoOf(sides, platform, send, mid, "hi"));
        await echoOf(sides, platform, send, mid, "hi");
        await send.answer(accepted(mid));
        expect(await theOnly(sides, mid)).toMatchObject(OURS);
        expect(await sides.records()).toMatchObject([{ st: "sent", m: mid, b: "answer" }]);
        if (!reached) {
          // Route, tenant's state, glimpse, marker, record, claim, message, head, announcement.
          expect(k).toBeGreaterThanOrEqual(9);
          return;
        }
      }
    },
  );

  it.each(strikes)("ends the same when the sender is struck (%s) at any call and the echo comes", async (strike) => {
    for (let k = 0; ; k++) {
      const sides = await openBothSides(house, platform);
      const send = await sides.send("hi");
      const mid = `${sides.tenant}-out`;
      const reached = await struck(strike, k, () => send.answer(accepted(mid)));
      house.turn(MINUTE);
      await echoOf(sides, platform, send, mid, "hi");
      expect(await theOnly(sides, mid)).toMatchObject(OURS);
      expect(await sides.records()).toMatchObject([{ st: "sent", m: mid }]);
      if (!reached) {
        // Settled, marker, message, head, announcement.
        expect(k).toBeGreaterThanOrEqual(5);
        return;
      }
    }
  });

  it("carries its actor, its hold and what it answers, also when only its echo is left to tell of it", async () => {
    for (const dies of ["before the answer", "between mark and row"] as const) {
      const sides = await openBothSides(house, platform);
      const mid = `${sides.tenant}-out`;
      const told = { via: "api_human_agent", actorId: "usr_1", holdId: "hold_1", replyTo: "m0" } as const;
      const send = { id: newUlid(house.now()), content: contentHash("hi", []), scope: "live", ...told } as const;
      await sendRecordStore(house.table).begin(sides.id, send, house.now());
      const { via: sentVia, ...rest } = told;
      if (dies === "between mark and row") {
        const { outboundMessages } = house.ingestPorts(await house.newLane());
        const [hello] = (await sides.rows()).map(({ message }) => message);
        if (!hello) throw new Error("Nobody wrote.");
        await outboundMessages.mark({ ...hello, id: mid, direction: "outbound", sentVia, ...rest }, house.now());
      }
      house.turn(SECOND);
      const inFlight = { metadata: send.id } as InFlight;
      await echoOf(sides, platform, inFlight, mid, "hi");
      const message = await theOnly(sides, mid);
      expect(message).toMatchObject({ direction: "outbound", sentVia, ...rest });
      if (!message) throw new Error("There is no message.");
      expect(JSON.parse(renderMessageEvent(sides.tenant, message).body).data.message).toMatchObject({
        sent_via: "api_human_agent",
        actor_id: "usr_1",
        hold_id: "hold_1",
        reply_to: "m0",
      });
    }
  });

  it("whose record was erased while the platform had it is no error, and is not kept", async () => {
    for (const outcome of [accepted("mid-erased"), lost, refused]) {
      const sides = await openBothSides(house, platform);
      const send = await sides.send("hi");
      const { name: TableName } = house.table;
      await house.table.client.send(new DeleteCommand({ TableName, Key: sendRecordKey(sides.id, send.metadata) }));
      const told = await send.answer(outcome);
      const telling = outcome === lost ? { refused: "outcome_unknown" } : { refused: "send_failed" };
      expect(told).toMatchObject(outcome === lost || outcome === refused ? telling : { messageId: "mid-erased" });
      expect(await sides.records()).toEqual([]);
      expect((await sides.rows()).map(({ message }) => message.direction)).toEqual(["inbound"]);
    }
  });
});

/** Runs one step of a process that is struck at its k-th call to AWS. @returns whether it came so far */
async function struck(strike: Strike, k: number, step: () => Promise<unknown>): Promise<boolean> {
  const strikes = strikeAt(house.clients, strike, k);
  await step().catch(() => {});
  strikes.end();
  return strikes.reached();
}

describe("two of our sends with the same words", () => {
  it.each([
    ["the echoes alone", ["echo 1", "echo 2"]],
    ["the echoes the other way round", ["echo 2", "echo 1"]],
    ["one echo, its repeat, and the other", ["echo 2", "echo 2", "echo 1", "echo 1"]],
    ["an echo that took the other's record, which was answered since", ["echo 2", "answer 2", "lose 1", "echo 1"]],
    ["answers in between", ["echo 2", "answer 1", "echo 1", "answer 2"]],
    ["one lost, one refused", ["refuse 2", "lose 1", "echo 1"]],
  ] as const)("are two outbound messages: %s", async (_name, steps) => {
    const sides = await openBothSides(house, "instagram");
    const first = await sides.send("same");
    house.turn(1);
    const sends = { 1: first, 2: await sides.send("same") };
    const said = new Set<string>();
    for (const step of steps) {
      house.turn(SECOND);
      const [what, which = ""] = step.split(" ");
      const mid = `${sides.tenant}-${which}`;
      const send = which === "1" ? sends[1] : sends[2];
      if (what === "echo") await sides.echo(mid, "same");
      if (what === "answer") await send.answer(accepted(mid));
      if (what === "lose") await send.answer(lost);
      if (what === "refuse") await send.answer(refused);
      if (what === "echo" || what === "answer") said.add(mid);
    }
    const rows = (await sides.rows()).filter(({ message }) => message.direction !== "inbound");
    expect(new Set(rows.map(({ message }) => message.id))).toEqual(said);
    expect(rows.map(({ message }) => message)).toEqual(rows.map(() => expect.objectContaining(OURS)));
    const claims = (await sides.records()).filter(({ b }) => b === "echo").map(({ m }) => m);
    expect(new Set(claims).size).toBe(claims.length);
  });

  it("are claimed once each when both echoes come at once", async () => {
    const sides = await openBothSides(house, "instagram");
    await sides.send("same");
    await sides.send("same");
    await Promise.all(["a", "b", "a", "b"].map((mid) => sides.echo(`${sides.tenant}-${mid}`, "same")));
    expect((await sides.records()).map(({ m }) => m).sort()).toEqual([`${sides.tenant}-a`, `${sides.tenant}-b`]);
    const rows = (await sides.rows()).map(({ message }) => message.direction);
    expect(rows.filter((direction) => direction === "outbound")).toHaveLength(2);
  });
});

describe("what is none of our sends", () => {
  it.each([
    ["other words", "instagram", "not hi", {}],
    ["the page inbox", "messenger", "hi", { echo: { appId: "26390203743090", metadata: null } }],
    ["another app's metadata", "messenger", "hi", { echo: { appId: "777", metadata: "theirs" } }],
    ["metadata of a send that is not here", "messenger", "hi", { echo: { appId: "777", metadata: newUlid(1) } }],
  ] as const)("stays an echo though a send is unsettled: %s", async (_name, platform, text, rest) => {
    const sides = await openBothSides(house, platform);
    const send = await sides.send("hi");
    await send.answer(lost);
    const mid = `${sides.tenant}-native`;
    await sides.echo(mid, text, rest);
    await sides.echo(mid, text, rest);
    const appId = "echo" in rest ? rest.echo.appId : null;
    expect(await theOnly(sides, mid)).toMatchObject({
      ...NATIVE,
      sentVia: appId === "777" ? "other_app" : "native_app",
    });
    expect(await sides.records()).toMatchObject([{ st: "unknown" }]);
  });

  it("stays an echo when the send was refused, was a test, or lies too far away in time", async () => {
    const sides = await openBothSides(house, "instagram");
    await (await sides.send("hi")).answer(refused);
    await (await sides.send("hi", "test")).answer(lost);
    const early = await sides.send("hi");
    house.turn(15 * MINUTE + 1);
    await sides.echo(`${sides.tenant}-1`, "hi");
    await early.answer(lost);
    const at = house.now() - MINUTE;
    house.turn(1);
    const late = await sides.send("ho");
    await sides.echo(`${sides.tenant}-2`, "ho", { at });
    const ours = (await sides.rows()).filter(({ message }) => message.direction !== "inbound");
    expect(ours.map(({ message }) => message)).toEqual(ours.map(() => expect.objectContaining(NATIVE)));
    expect(ours).toHaveLength(2);
    await late.answer(lost);
  });

  it("is ours at the very edges of that time", async () => {
    const sides = await openBothSides(house, "instagram");
    await sides.send("first");
    house.turn(15 * MINUTE);
    await sides.echo(`${sides.tenant}-1`, "first");
    await sides.send("second");
    await sides.echo(`${sides.tenant}-2`, "second", { at: house.now() - MINUTE });
    const ours = (await sides.rows()).filter(({ message }) => message.direction !== "inbound");
    expect(ours.map(({ message }) => message)).toEqual(ours.map(() => expect.objectContaining(OURS)));
    expect(ours).toHaveLength(2);
  });

  it("in a conversation that the account began leaves no window to reply in", async () => {
    const sides = await openBothSides(house, "instagram");
    const stranger = "5551230000";
    await sides.echo(`${sides.tenant}-first`, "you won", { participantId: stranger });
    const query = { before: null, limit: 10, now: house.now() };
    const { heads } = await house.ingestPorts(await house.newLane()).conversations.inbox(sides.tenant, query);
    const head = heads.find(({ ref }) => ref.participantId === stranger);
    expect(head).toMatchObject({ lastDirection: "echo", lastInboundAt: null });
    expect(windowAt(head?.lastInboundAt ?? null, house.now())).toEqual({ state: "no_inbound", expiresAt: null });
  });
});
