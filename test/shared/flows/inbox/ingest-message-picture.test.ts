import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accountHomes } from "../../../../shared/flows/inbox/resolve-account.ts";
import { DAY, SECOND } from "../../../../shared/kernel/time.ts";
import { profileStore } from "../../../../shared/stores/inbox/profiles.ts";
import { headKey } from "../../../../shared/stores/keys.ts";
import { type Meter, meterOf } from "../../../support/meter.ts";
import { ingestOf, said } from "../support/changes.ts";
import { type House, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

let house: House;
let meter: Meter;
beforeAll(async () => {
  house = await openHouse();
  meter = meterOf(house.client, house.table.name);
});
afterAll(async () => {
  meter.close();
  await house.close();
});

it("the address of a picture that has ended leaves the head with the person's next message, which costs no more", async () => {
  const { account, conversation: id } = await newConversation(house);
  const ports = house.ingestPorts(await house.newLane());
  const findHome = accountHomes(ports);
  const says = async (mid: string) => {
    await findHome({ platform: "instagram", externalId: account }, house.now());
    return (
      await meter.during(mid, () => ingestOf(ports, account, [said(mid, mid, house.now())], house.now(), findHome))
    ).wcu;
  };
  const picture = async () => {
    const Key = headKey(id);
    const { Item } = await house.table.client.send(new GetCommand({ TableName: house.table.name, Key }));
    return [Item?.pp, Item?.px];
  };
  await says("m1");
  const ends = house.now() + DAY;
  const found = { state: "complete", handle: "ada", username: "ada" } as const;
  const url = "https://cdn.example/a.jpg";
  await profileStore(house.table).keep(id, { ...found, picture: { url, expiresAt: ends } }, house.now());
  house.turn(DAY - 1);
  const alive = await says("m2");
  expect(await picture()).toEqual([url, ends]);
  house.turn(SECOND);
  expect(await says("m3")).toBe(alive);
  expect(await picture()).toEqual([undefined, undefined]);
});
