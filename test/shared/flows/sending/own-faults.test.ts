import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ApiPorts } from "../../../../shared/flows/ports.ts";
import { performSend } from "../../../../shared/flows/sending/perform.ts";
import { planSend } from "../../../../shared/flows/sending/plan.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { lost } from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outbox, openOutbox, refusing } from "../support/outbox.ts";

// What a caller is told where something of ours fails: a fault only while nothing has left.

let house: House;
let outbox: Outbox;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  house.turn(MINUTE);
  outbox = await openOutbox(house);
});

const no = () => Promise.reject(new Error("injected: no"));
const unknown = { refused: "outcome_unknown", detail: "outcome_unknown" };

/** Ports of which some calls of some stores fail. */
function without(...calls: readonly `${string}.${string}`[]): ApiPorts {
  const ports: Record<string, object> = { ...outbox.ports() } as never;
  for (const call of calls) {
    const [store = "", name = ""] = call.split(".");
    ports[store] = { ...ports[store], [name]: no };
  }
  return ports as unknown as ApiPorts;
}

const typesOf = async () => (await outbox.events()).map(({ type }) => type);
async function overdue(): Promise<void> {
  house.turn(61 * SECOND);
  await outbox.settle();
}

describe("a reply that the platform took", () => {
  it.each(["outboundMessages.record", "conversations.apply", "events.send", "dueSends.done"] as const)(
    "is answered as sent though %s fails, and is announced a minute later at the latest",
    async (call) => {
      const told = await outbox.reply({}, "live", without(call));
      expect(told).toEqual({ messageId: `mid-of-${outbox.asked[0]?.metadata}` });
      await overdue();
      expect(await typesOf()).toEqual(["message.sent"]);
      expect(outbox.asked).toHaveLength(1);
      expect(await outbox.dueItems()).toEqual([]);
    },
  );

  it.each([
    ["settled", ["sendRecords.settle"]],
    ["settled or asked about", ["sendRecords.settle", "sendRecords.get"]],
  ] as const)(
    "is answered and told as unknown where its record cannot be %s; its echo ends it as sent",
    async (_what, calls) => {
      expect(await outbox.reply({}, "live", without(...calls))).toEqual(unknown);
      await overdue();
      expect(await typesOf()).toEqual(["message.failed"]);
      await outbox.echo(`${outbox.tenant}-out`, "hi");
      expect(await typesOf()).toEqual(["message.failed", "message.sent"]);
      expect(outbox.asked).toHaveLength(1);
    },
  );
});

it("a reply that the platform refused is answered with its words, whatever fails once they are on record", async () => {
  outbox.answers(refusing({ detail: "no such person", coolDownMs: MINUTE }));
  for (const call of ["budgets.coolDown", "eventBodies.note", "events.send"] as const) {
    outbox = await openOutbox(house);
    outbox.answers(refusing({ detail: "no such person", coolDownMs: MINUTE }));
    const refused = { refused: "send_failed", detail: "no such person" };
    expect(await outbox.reply({}, "live", without(call))).toEqual(refused);
    await overdue();
    expect(await typesOf()).toEqual(["message.failed"]);
  }
});

it("a reply whose outcome is unknown is answered so, though that cannot be kept", async () => {
  outbox.answers(lost);
  expect(await outbox.reply({}, "live", without("sendRecords.settle"))).toEqual(unknown);
  await overdue();
  expect(await typesOf()).toEqual(["message.failed"]);
});

it("a platform's client that fails itself leaves the outcome unknown", async () => {
  outbox.answers(() => Promise.reject(new Error("injected: a mistake of ours")));
  expect(await outbox.reply()).toEqual(unknown);
});

it.each([["vault.open"], ["dueSends.put"], ["sendRecords.begin"], ["sendRecords.begin", "sendRecords.get"]] as const)(
  "a fault before anything left is a fault: %s",
  async (...calls) => {
    await expect(outbox.reply({}, "live", without(...calls))).rejects.toThrow("injected");
    expect([outbox.asked, await outbox.records()]).toEqual([[], []]);
    await overdue();
    expect([await typesOf(), await outbox.dueItems()]).toEqual([[], []]);
  },
);

it("a send whose beginning was written and whose answer was lost for good is told as unknown, like its event", async () => {
  const ports = outbox.ports();
  const begin: typeof ports.sendRecords.begin = async (...begun) => {
    await ports.sendRecords.begin(...begun);
    return no();
  };
  expect(await outbox.reply({}, "live", { ...ports, sendRecords: { ...ports.sendRecords, begin } })).toEqual(unknown);
  expect(outbox.asked).toEqual([]);
  await overdue();
  expect(await typesOf()).toEqual(["message.failed"]);
});

describe("with a key", () => {
  const keyed = (from?: ApiPorts) => outbox.reply({ idempotencyKey: "k" }, "live", from);

  it("an answer that cannot be kept is given all the same, and again once a minute is over", async () => {
    const first = await keyed(without("idempotencyKeys.answer"));
    expect(first).toHaveProperty("messageId");
    expect(await keyed()).toMatchObject({ refused: "idempotency_conflict" });
    house.turn(MINUTE);
    expect(await keyed()).toEqual(first);
    expect(outbox.asked).toHaveLength(1);
  });

  it.each([2 * MINUTE, 20 * MINUTE])(
    "a send that was not begun is begun anew %d ms later, and its echo finds it",
    async (later) => {
      await expect(keyed(without("sendRecords.begin"))).rejects.toThrow("injected");
      house.turn(later);
      outbox.answers(lost);
      expect(await keyed()).toEqual(unknown);
      house.turn(SECOND);
      await outbox.echo(`${outbox.tenant}-out`, "hi");
      await overdue();
      expect(await typesOf()).toEqual(["message.sent"]);
      expect(await outbox.records()).toMatchObject([{ st: "sent", m: `${outbox.tenant}-out` }]);
      expect((await outbox.rows())[0]?.message).toMatchObject({ direction: "outbound", sentVia: "api_in_window" });
    },
  );

  it("of two that take it over at once one sends", async () => {
    await expect(keyed(without("sendRecords.begin"))).rejects.toThrow("injected");
    house.turn(20 * MINUTE);
    const told = await Promise.all([keyed(), keyed(), keyed()]);
    expect(told.filter((one) => "messageId" in one)).toHaveLength(1);
    expect(told.filter((one) => !("messageId" in one))).toEqual(
      Array(2).fill({ refused: "idempotency_conflict", detail: "in_flight" }),
    );
    expect(outbox.asked).toHaveLength(1);
  });

  it("a process that slept on its way begins nothing once another may have taken its key over", async () => {
    const asleep = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const ports = outbox.ports();
    const open: typeof ports.vault.open = async (...sealed) => {
      asleep.resolve();
      await woken.promise;
      return ports.vault.open(...sealed);
    };
    const first = keyed({ ...ports, vault: { ...ports.vault, open } }).catch((error: unknown) => error);
    await asleep.promise;
    house.turn(MINUTE);
    const second = await keyed();
    expect(second).toHaveProperty("messageId");
    woken.resolve();
    expect(await first).toBeInstanceOf(Error);
    expect(outbox.asked).toHaveLength(1);
    expect(await keyed()).toEqual(second);
  });
});

it("a second try under one id, made later, leaves no text behind that an erasure would miss", async () => {
  const request = { scope: "live", mayUse: () => true, conversationId: outbox.id, text: "hi", replyTo: null } as const;
  const planned = await planSend(outbox.ports(), { ...request, kind: "reply", actorId: null }, house.now());
  if (isRefusal(planned)) throw new Error(planned.refused);
  const id = newUlid(house.now());
  outbox.answers(lost);
  await performSend(outbox.ports(), planned, id, house.now);
  house.turn(5);
  await performSend(outbox.ports(), planned, id, house.now);
  expect(await outbox.dueItems()).toHaveLength(1);
  await outbox.erase();
  expect(await outbox.dueItems()).toEqual([]);
});
