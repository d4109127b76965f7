import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raceAll } from "../support/erase-race.ts";
import { allRows } from "../support/erasing.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe("an erasure amid messages, echoes, edits, replies, held messages, look-ups, deliveries and replays of the same person", () => {
  it("leaves nothing older than itself and keeps what is newer, in 40 interleavings", async () => {
    await raceAll(house, { from: 1, count: 40 });
  }, 120_000);

  it("leaves nothing behind of its own but markers, and no send that waits", async () => {
    const rows = await allRows(house);
    expect(rows.filter(({ PK, c }) => PK.startsWith("QS#") && c !== undefined)).toEqual([]);
    const own = rows.filter(({ PK }) => PK.startsWith("ER#"));
    expect(own.length).toBeGreaterThan(0);
    const shapes = new Set(own.map((row) => Object.keys(row).sort().join()));
    expect([...shapes].sort()).toEqual(["PK,SK,ea,x", "PK,SK,k,x"]);
  });
});
