import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventSchema } from "../../../../functions/routes/webhooks/event-schemas.ts";
import { performSend } from "../../../../shared/flows/sending/perform.ts";
import { planSend } from "../../../../shared/flows/sending/plan.ts";
import { settleDueSends } from "../../../../shared/flows/sending/settle-due.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { accountItemKey, dueSendKey } from "../../../../shared/stores/keys.ts";
import { lost } from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outbox, openOutbox, refusing } from "../support/outbox.ts";

let house: House;
let outbox: Outbox;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  house.turn(MINUTE);
  outbox = await openOutbox(house);
  house.turn(SECOND);
});

const typesOf = async () => (await outbox.events()).map(({ type }) => type).sort();
const accountItem = async () => {
  const Key = accountItemKey(outbox.tenant, outbox.ref);
  return (await house.table.client.send(new GetCommand({ TableName: house.table.name, Key }))).Item ?? {};
};

describe("a refused send", () => {
  it("is announced as the message it would have been, without an id, with the platform's words", async () => {
    outbox.answers(refusing({ detail: "(#551) This person isn't available" }));
    expect(await outbox.reply({ text: "are you there?", replyTo: "m0" })).toEqual({
      refused: "send_failed",
      detail: "(#551) This person isn't available",
    });
    const [event, ...more] = await outbox.events();
    expect(more).toEqual([]);
    expect(eventSchema("message.failed").parse(event)).toEqual(event);
    expect(event?.data).toMatchObject({
      message: {
        id: null,
        conversation_id: outbox.id,
        direction: "outbound",
        text: "are you there?",
        sent_via: "api_in_window",
        reply_to: "m0",
      },
      error: { code: "send_failed", detail: "(#551) This person isn't available" },
    });
    expect(await outbox.records()).toMatchObject([{ st: "failed" }]);
    expect(await outbox.dueItems()).toEqual([]);
  });

  it("leaves nothing that an erasure does not find", async () => {
    outbox.answers(refusing({}));
    await outbox.reply({ text: "the secret words" });
    expect(await outbox.events()).toHaveLength(1);
    await outbox.erase();
    expect(await outbox.events()).toEqual([]);
  });

  it.each([
    ["needs_reauth", "account.needs_reauth", "token_invalid"],
    ["restricted", "account.restricted", "policy"],
  ] as const)(
    "that says %s changes the account once, tells it once, and keeps later sends from the platform",
    async (accountStatus, type, reason) => {
      // All four are at the platform before it answers the first.
      const full = Promise.withResolvers<void>();
      outbox.answers(async () => {
        if (outbox.asked.length === 4) full.resolve();
        await full.promise;
        return refusing({ accountStatus, detail: "the platform's words" });
      });
      const told = await Promise.all(Array.from({ length: 4 }, () => outbox.reply()));
      expect(told).toEqual(Array(4).fill({ refused: "send_failed", detail: "the platform's words" }));
      expect(await outbox.account()).toMatchObject({ status: accountStatus, refreshError: "the platform's words" });
      expect(await typesOf()).toEqual([type, ...Array(4).fill("message.failed")].sort());
      const event = (await outbox.events()).find((one) => one.type === type);
      expect(eventSchema(type).parse(event)).toEqual(event);
      expect(event?.data).toMatchObject({ account: { status: accountStatus }, reason });

      const before = outbox.asked.length;
      expect(await outbox.reply()).toEqual({ refused: `account_${accountStatus}`, detail: accountStatus });
      expect(outbox.asked).toHaveLength(before);
      expect((await outbox.events()).filter((one) => one.type === "message.failed")).toHaveLength(4);
    },
  );

  it("says nothing of an account that was connected anew since the send began", async () => {
    const account = await outbox.account();
    outbox.answers(async () => {
      house.turn(SECOND);
      const audit = {
        action: "account.reconnect",
        resource: "account:x",
        actor: "cli",
        ip: null,
        detail: {},
        at: 0,
      } as const;
      if (account)
        await accountStore(house.table).connect(outbox.tenant, { ...account, lastRefreshedAt: house.now() }, audit);
      return refusing({ accountStatus: "needs_reauth" });
    });
    await outbox.reply();
    expect(await outbox.account()).toMatchObject({ status: "active", refreshError: null });
    expect(await typesOf()).toEqual(["message.failed"]);
  });

  it("a dead token stays the account's status when the platform restricts it too", async () => {
    outbox.answers((send) => refusing({ accountStatus: send.replyTo ? "restricted" : "needs_reauth" }));
    await Promise.all([outbox.reply(), outbox.reply({ replyTo: "m" })]);
    await outbox.reply();
    expect(await outbox.account()).toMatchObject({ status: "needs_reauth" });
  });

  it("of the human agent's tag is noted on the account, which may go on", async () => {
    outbox.answers(refusing({ class: "permission", humanAgentRefused: true }));
    await outbox.reply();
    expect(await accountItem()).toMatchObject({ human_agent_blocked_at: house.now(), st: "active" });
  });
});

describe("a send whose outcome is unknown", () => {
  beforeEach(() => outbox.answers(lost));

  it("is told as failed once a minute brought no echo, and not before", async () => {
    expect(await outbox.reply()).toEqual({ refused: "outcome_unknown", detail: "outcome_unknown" });
    house.turn(MINUTE - 1);
    expect(await outbox.settle()).toBe(0);
    expect(await typesOf()).toEqual([]);
    house.turn(1);
    expect(await outbox.settle()).toBe(1);
    expect((await outbox.events())[0]).toMatchObject({
      type: "message.failed",
      data: { error: { message: expect.stringMatching(/^Nobody knows/), detail: "outcome_unknown" } },
    });
    expect(await outbox.settle()).toBe(0);
  });

  it.each(["instagram", "messenger"] as const)(
    "is one outbound message by an echo, told as failed before or not (%s)",
    async (platform) => {
      for (const late of [false, true]) {
        outbox = await openOutbox(house, platform);
        outbox.answers(lost);
        await outbox.reply();
        house.turn(late ? 2 * MINUTE : SECOND);
        if (late) await outbox.settle();
        const [asked] = outbox.asked;
        const echo = platform === "messenger" ? { appId: "777", metadata: asked?.metadata ?? "" } : null;
        await outbox.echo(`${outbox.tenant}-out`, "hi", echo ? { echo } : {});
        house.turn(2 * MINUTE);
        await outbox.settle();
        expect(await typesOf()).toEqual([...(late ? ["message.failed"] : []), "message.sent"]);
        expect((await outbox.rows())[0]?.message).toMatchObject({ direction: "outbound", sentVia: "api_in_window" });
        expect(await outbox.records()).toMatchObject([{ st: "sent" }]);
      }
    },
  );

  it("of a conversation that was erased meanwhile is told to nobody", async () => {
    await outbox.reply();
    await outbox.erase();
    house.turn(2 * MINUTE);
    await outbox.settle();
    expect(await outbox.events()).toEqual([]);
    expect(await outbox.dueItems()).toEqual([]);
  });
});

it.each([
  ["takes", { kind: "accepted", messageId: "m" }],
  ["refuses", refusing({})],
] as const)("a send that the platform %s while its conversation is erased leaves nothing", async (_verb, outcome) => {
  outbox.answers(async () => {
    await outbox.erase();
    return outcome;
  });
  await outbox.reply();
  expect(await outbox.events()).toEqual([]);
  expect([await outbox.rows(), await outbox.records(), await outbox.dueItems()]).toEqual([[], [], []]);
  expect(await outbox.head()).toBeNull();
});

describe("a send under an id that was used before", () => {
  it.each([
    ["sent", { kind: "accepted", messageId: "m" }, { kind: "sent", messageId: "m" }],
    ["refused", refusing({ detail: "no" }), { kind: "refused", refusal: { refused: "send_failed", detail: "no" } }],
    ["unknown", lost, { kind: "refused", refusal: { refused: "outcome_unknown", detail: "outcome_unknown" } }],
  ] as const)("answers what became of the first, and calls nobody: %s", async (_name, outcome, result) => {
    outbox.answers(outcome);
    const request = {
      scope: "live",
      mayUse: () => true,
      conversationId: outbox.id,
      text: "hi",
      replyTo: null,
    } as const;
    const planned = await planSend(outbox.ports(), { ...request, kind: "reply", actorId: null }, house.now());
    if (isRefusal(planned)) throw new Error(planned.refused);
    const id = newUlid(house.now());
    const perform = () => performSend(outbox.ports(), planned, id, house.now);
    expect(await perform()).toEqual(result);
    house.turn(SECOND);
    expect(await perform()).toEqual(result);
    expect(outbox.asked).toHaveLength(1);
    house.turn(2 * MINUTE);
    await outbox.settle();
    expect(await outbox.dueItems()).toEqual([]);
    expect(await outbox.events()).toHaveLength(1);
  });
});

describe("a sweep of sends", () => {
  it("makes up for the minutes in which none ran", async () => {
    outbox.answers(lost);
    await outbox.settle();
    await outbox.reply();
    house.turn(20 * MINUTE);
    await outbox.reply();
    house.turn(6 * 60 * MINUTE);
    expect(await outbox.settle()).toBe(2);
    expect(await typesOf()).toEqual(["message.failed", "message.failed"]);
  });

  it("that cannot settle one settles the others, fails, and comes back to it", async () => {
    outbox.answers(lost);
    await outbox.reply();
    const other = await openOutbox(house);
    other.answers(lost);
    await other.reply();
    house.turn(2 * MINUTE);
    const ports = outbox.ports();
    const giveUp: typeof ports.sendRecords.giveUp = (conversation, id) =>
      conversation === outbox.id ? Promise.reject(new Error("no")) : ports.sendRecords.giveUp(conversation, id);
    const sick = { ...ports, sendRecords: { ...ports.sendRecords, giveUp } };
    await expect(settleDueSends(sick, house.now())).rejects.toThrow("no");
    expect(await other.dueItems()).toEqual([]);
    house.turn(MINUTE);
    await outbox.settle();
    expect(await typesOf()).toEqual(["message.failed"]);
  });
});

describe("a test send", () => {
  it("that nobody ended is announced as one, and leaves the head alone", async () => {
    const before = await outbox.head();
    const ports = outbox.ports();
    const record: typeof ports.outboundMessages.record = () => Promise.reject(new Error("no table"));
    const sick = { ...ports, outboundMessages: { ...ports.outboundMessages, record } };
    expect(await outbox.reply({}, "test", sick)).toHaveProperty("messageId");
    house.turn(61 * SECOND);
    await outbox.settle();
    expect(await outbox.events()).toMatchObject([
      { type: "message.sent", data: { message: { test: true, text: "hi" } } },
    ]);
    expect(await outbox.head()).toEqual(before);
    expect(outbox.asked).toEqual([]);
  });
});

describe("attachments", () => {
  it("go out by address or by upload, and are kept and told with the addresses that are known", async () => {
    const attachments = [
      { type: "image", url: "https://cdn.example/a.png" },
      { type: "image", attachmentId: "1234" },
    ];
    expect(await outbox.reply({ text: null, attachments })).toHaveProperty("messageId");
    expect(outbox.asked[0]?.content).toEqual({ kind: "attachments", attachments });
    const kept = [
      { type: "image", url: "https://cdn.example/a.png" },
      { type: "image", url: null },
    ];
    expect((await outbox.rows())[0]?.message).toMatchObject({ text: "", attachments: kept });
    expect((await outbox.events())[0]?.data.message).toMatchObject({ text: "", attachments: kept });
    expect(await outbox.head()).toMatchObject({ lastMessageText: "" });
  });

  it("are known again by their kinds when only an echo tells that they went out", async () => {
    outbox.answers(lost);
    await outbox.reply({ text: null, attachments: [{ type: "video", url: "https://cdn.example/a.mp4" }] });
    house.turn(SECOND);
    const echoed = [{ type: "video", url: "https://platform.example/other" }] as const;
    await outbox.echo(`${outbox.tenant}-out`, "", { attachments: echoed });
    expect((await outbox.rows())[0]?.message).toMatchObject({ direction: "outbound", attachments: echoed });
  });

  it("that a test key uploaded are taken from a test key alone", async () => {
    const attachments = [{ type: "image", attachmentId: "mock_att_1" }];
    expect(await outbox.reply({ text: null, attachments })).toMatchObject({ refused: "invalid_request" });
    expect(await outbox.reply({ text: null, attachments }, "test")).toHaveProperty("messageId");
  });
});

it("what is due of a send is under its own instant, apart from other due items", async () => {
  outbox.answers(lost);
  await outbox.reply();
  const [due] = await outbox.dueItems();
  const [record] = await outbox.records();
  expect(due).toMatchObject(dueSendKey(house.now() + MINUTE, String(record?.SK).slice(2)));
});
