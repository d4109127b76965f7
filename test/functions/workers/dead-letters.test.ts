import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../functions/workers/dead-letters.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { counterStore } from "../../../shared/table/counters.ts";
import { deliveryStore } from "../../../shared/table/deliveries.ts";
import { quarantineStore } from "../../../shared/table/quarantine.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth, handOut } from "../../shared/flows/support/queue-work.ts";
import { injectFaults } from "../../support/faults.ts";

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
      quarantine: quarantineStore(house.table),
      deliveries: deliveryStore(house.table),
      counters: counterStore(house.table),
      log: (line) => house.lines.push(line),
    },
    house.now,
  );

async function quarantined(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await house.table.client.send(
    new QueryCommand({
      TableName: house.table.name,
      KeyConditionExpression: "PK = :q",
      ExpressionAttributeValues: { ":q": `QUAR#${lane.inbound.split("/").at(-1)}` },
    }),
  );
  return Items;
}

describe("a dead letter", () => {
  it("is kept as it was, once, though the worker dies over it and it comes again", async () => {
    await openQueue(lane.inbound, house.eventSource).send({ body: "poison 𝒳" });
    const end = injectFaults(house.client, ({ index }) => (index === 0 ? "crash" : "pass"));
    expect((await handOut(house.eventSource, lane.inbound, worker())).failed).toHaveLength(1);
    end();
    house.turn(31_000);
    const { records } = await handOut(house.eventSource, lane.inbound, worker());
    expect(await depth(house.eventSource, lane.inbound)).toBe(0);
    expect(await quarantined()).toMatchObject([{ SK: records[0]?.messageId, b: "poison 𝒳", n: 2, at: house.now() }]);
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
});
