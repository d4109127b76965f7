import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { lost } from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outbox, openOutbox, refusing } from "../support/outbox.ts";
import { type Strike, strikeAt, strikes } from "../support/strikes.ts";

// A sender that dies between any two calls, and a sweep that does, too.

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const MID = (outbox: Outbox) => `${outbox.tenant}-out`;
const dead = refusing({ class: "token", accountStatus: "needs_reauth", coolDownMs: 60 * SECOND });

/** @returns whether there was such a call, and what a caller got, or what was thrown, if the process lived to tell */
async function struck(strike: Strike, k: number, work: () => Promise<unknown>) {
  const strikes = strikeAt(house.clients, strike, k);
  const told = await work().catch((error: unknown) => error);
  const reached = strikes.reached();
  strikes.end();
  return { reached, told: reached && strike !== "lost" ? null : told };
}

async function overdue(outbox: Outbox): Promise<void> {
  house.turn(61 * SECOND);
  await outbox.settle();
  await outbox.settle();
}

/** Nothing is under way any more, and the platform was asked once at most. */
async function expectOver(outbox: Outbox): Promise<void> {
  expect(outbox.asked.length).toBeLessThanOrEqual(1);
  expect(await outbox.dueItems()).toEqual([]);
  expect((await outbox.records()).map(({ st }) => st)).not.toContain("sending");
}

const typesOf = async (outbox: Outbox) => (await outbox.events()).map(({ type }) => type).sort();

describe.each(strikes)("a sender that is struck (%s) at any call", (strike) => {
  it("has told of a message that the platform took, once a minute is over, or of its unknown end; its echo ends it", async () => {
    for (let k = 0; ; k++) {
      const outbox = await openOutbox(house);
      outbox.answers({ kind: "accepted", messageId: MID(outbox) });
      const { reached, told } = await struck(strike, k, () => outbox.reply());
      await overdue(outbox);
      await expectOver(outbox);
      const [record] = await outbox.records();
      const types = await typesOf(outbox);
      if (!record) expect([outbox.asked, types]).toEqual([[], []]);
      else if (record.st === "sent") expect(types).toEqual(["message.sent"]);
      else expect([record.st, types]).toEqual(["unknown", ["message.failed"]]);
      if (told) expect([told, types]).toEqual([{ messageId: MID(outbox) }, ["message.sent"]]);

      if (outbox.asked.length > 0) {
        await outbox.echo(MID(outbox), "hi");
        await overdue(outbox);
        const failed = types.filter((type) => type === "message.failed");
        expect(await typesOf(outbox)).toEqual([...failed, "message.sent"]);
        const ours = (await outbox.rows()).filter(({ message }) => message.direction !== "inbound");
        expect(ours.map(({ message }) => [message.id, message.direction])).toEqual([[MID(outbox), "outbound"]]);
        expect(await outbox.head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
        expect(await outbox.records()).toMatchObject([{ st: "sent", m: MID(outbox) }]);
      }
      if (reached) continue;
      // Reads, due item, begin, settled, marker, message, head, announcement, not due any more.
      expect(k).toBeGreaterThanOrEqual(13);
      return;
    }
  });

  it("leaves nothing to the sweep when the echo is faster", async () => {
    for (let k = 0; ; k++) {
      const outbox = await openOutbox(house);
      outbox.answers({ kind: "accepted", messageId: MID(outbox) });
      const { reached } = await struck(strike, k, () => outbox.reply());
      house.turn(SECOND);
      if (outbox.asked.length > 0) await outbox.echo(MID(outbox), "hi");
      await overdue(outbox);
      await expectOver(outbox);
      const records = await outbox.records();
      if (outbox.asked.length > 0) expect(await typesOf(outbox)).toEqual(["message.sent"]);
      // Begun and never sent: nobody can tell.
      else expect(await typesOf(outbox)).toEqual(records.length > 0 ? ["message.failed"] : []);
      if (!reached) return;
    }
  });

  it("has told of a refusal and of what it means for the account, each once", async () => {
    for (let k = 0; ; k++) {
      const outbox = await openOutbox(house);
      outbox.answers(dead);
      const { reached } = await struck(strike, k, () => outbox.reply());
      await overdue(outbox);
      await expectOver(outbox);
      const [record] = await outbox.records();
      const status = (await outbox.account())?.status;
      if (record?.st === "failed") {
        expect(await typesOf(outbox)).toEqual(["account.needs_reauth", "message.failed"]);
        expect(status).toBe("needs_reauth");
      } else {
        expect(await typesOf(outbox)).toEqual(record ? ["message.failed"] : []);
        expect(status).toBe("active");
      }
      if (!reached) return;
    }
  });
});

describe.each(strikes)("a sweep that is struck (%s) at any call and comes again", (strike) => {
  it.each(["sent", "refused", "unknown"] as const)(
    "ends a send that its sender left %s as one that lives",
    async (left) => {
      for (let k = 0; ; k++) {
        const outbox = await openOutbox(house);
        outbox.answers(
          left === "sent" ? { kind: "accepted", messageId: MID(outbox) } : left === "refused" ? dead : lost,
        );
        await stopsOnceSettled(outbox);
        house.turn(61 * SECOND);
        const { reached } = await struck(strike, k, () => outbox.settle());
        house.turn(61 * SECOND);
        await outbox.settle();
        await expectOver(outbox);
        const due = {
          sent: ["message.sent"],
          refused: ["account.needs_reauth", "message.failed"],
          unknown: ["message.failed"],
        };
        expect(await typesOf(outbox)).toEqual(due[left]);
        if (left === "sent") {
          expect(await outbox.head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
        }
        if (!reached) return;
      }
    },
  );
});

/** The sender gets no further than to put the platform's answer on the record. */
async function stopsOnceSettled(outbox: Outbox): Promise<void> {
  const ports = outbox.ports();
  const settle: typeof ports.sendRecords.settle = async (...settled) => {
    await ports.sendRecords.settle(...settled);
    throw new Error("no table");
  };
  await outbox.reply({}, "live", { ...ports, sendRecords: { ...ports.sendRecords, settle } });
}
