import { afterAll, beforeAll, it } from "vitest";
import { raceAll } from "../shared/flows/support/erase-race.ts";
import { type House, openHouse } from "../shared/flows/support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it("an erasure leaves nothing older than itself and keeps what is newer, in 600 more interleavings", async () => {
  await raceAll(house, { from: 1_001, count: 600 });
}, 600_000);
