import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { headKey } from "#features/inbox/store/keys.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { newConversation } from "../../../support/flows/new-conversation.ts";
import { ingestEvents, textEvent } from "../../../support/flows/platform-events.ts";
import { openTestEnv, type TestEnv } from "../../../support/flows/test-env.ts";
import { attachMeter, type Meter } from "../../../support/meter.ts";

let testEnv: TestEnv;
let meter: Meter;
beforeAll(async () => {
  // The meter reads an engine.
  testEnv = await openTestEnv({ startTable: startTestTable });
  meter = attachMeter(testEnv.client, testEnv.table.name);
});
afterAll(async () => {
  meter.close();
  await testEnv.close();
});

it("an expired picture URL is removed from the head by the person's next message, at no extra cost", async () => {
  const { account, conversation: id } = await newConversation(testEnv);
  const ports = testEnv.ingestPorts(await testEnv.newQueues());
  const resolveAccount = accountResolver(ports);
  const says = async (mid: string) => {
    const time = { at: testEnv.now(), now: testEnv.now() };
    await resolveAccount({ platform: "instagram", externalId: account }, time);
    return (
      await meter.measure(mid, () =>
        ingestEvents(ports, account, [textEvent(mid, mid, testEnv.now())], testEnv.now(), resolveAccount),
      )
    ).wcu;
  };
  const picture = async () => {
    const Key = headKey(id);
    const { Item } = await testEnv.table.client.send(new GetCommand({ TableName: testEnv.table.name, Key }));
    return [Item?.pp, Item?.px];
  };
  await says("m1");
  const ends = testEnv.now() + DAY;
  const foundProfile = { state: "complete", handle: "ada", username: "ada", name: null } as const;
  const url = "https://cdn.example/a.jpg";
  await profileStore(testEnv.table).save(id, { ...foundProfile, picture: { url, expiresAt: ends } }, testEnv.now());
  testEnv.advance(DAY - 1);
  const alive = await says("m2");
  expect(await picture()).toEqual([url, ends]);
  testEnv.advance(SECOND);
  expect(await says("m3")).toBe(alive);
  expect(await picture()).toEqual([undefined, undefined]);
});
