import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../functions/dead-letters/worker.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { type KeptLetter, quarantineStore } from "../../../shared/stores/dead-letters/quarantine.ts";
import { deliveryStore } from "../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../shared/stores/delivery/due-attempts.ts";
import { counterStore } from "../../../shared/stores/stats/counters.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth, handOut } from "../../shared/flows/support/queue-work.ts";
import { injectFaults } from "../../support/faults.ts";
import { allOf } from "../../support/pages.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

const worker = () =>
  deadLettersWorker(
    {
      queueBehind: (name) => (name === lane.inbound.split("/").at(-1) ? "Inbound" : null),
      quarantine: quarantineStore(house.table),
      deliveries: deliveryStore(house.table),
      due: dueStore(house.table),
      counters: counterStore(house.table),
      log: (line) => house.lines.push(line),
    },
    house.now,
  );

async function quarantined(): Promise<KeptLetter[]> {
  return allOf(quarantineStore(house.table).ofQueue("Inbound", "newest", house.now()));
}

describe("a dead letter", () => {
  it("is kept as it was, once, though the worker dies over it and it comes again", async () => {
    await openQueue(lane.inbound, house.eventSource).send({ body: "poison 𝒳", group: "acme" });
    const end = injectFaults(house.client, ({ index }) => (index === 0 ? "crash" : "pass"));
    expect((await handOut(house.eventSource, lane.inbound, worker())).failed).toHaveLength(1);
    end();
    house.turn(31_000);
    const { records } = await handOut(house.eventSource, lane.inbound, worker());
    expect(await depth(house.eventSource, lane.inbound)).toBe(0);
    const [record] = records;
    expect(await quarantined()).toMatchObject([
      {
        messageId: record?.messageId,
        sentAt: Number(record?.attributes.SentTimestamp),
        body: "poison 𝒳",
        group: "acme",
        receives: 2,
        keptAt: house.now(),
      },
    ]);
    expect(house.lines.filter(({ event }) => event === "dead_letter")).toHaveLength(1);
    expect(JSON.stringify(house.lines)).not.toContain("poison");
  });

  it("of a full megabyte still fits a row", async () => {
    const before = (await quarantined()).length;
    await openQueue(lane.inbound, house.eventSource).send({ body: "x".repeat(1_000_000) });
    expect((await handOut(house.eventSource, lane.inbound, worker())).failed).toEqual([]);
    expect(await quarantined()).toHaveLength(before + 1);
  });

  it("of a megabyte whose characters take several bytes each fits too", async () => {
    const before = (await quarantined()).length;
    await openQueue(lane.inbound, house.eventSource).send({ body: "漢".repeat(330_000) });
    expect((await handOut(house.eventSource, lane.inbound, worker())).failed).toEqual([]);
    expect(await quarantined()).toHaveLength(before + 1);
  });

  it("of a queue that nobody knows stays where it is: an alarm tells of it there", async () => {
    const before = (await quarantined()).length;
    await openQueue(lane.events, house.eventSource).send({ body: "whose?" });
    expect((await handOut(house.eventSource, lane.events, worker())).failed).toHaveLength(1);
    expect(await quarantined()).toHaveLength(before);
    expect(house.lines).toContainEqual(expect.objectContaining({ event: "record_failed", error: "UnknownQueue" }));
  });
});
