import { expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { parseUpdates } from "#platforms/parse/parse.ts";
import { openChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { PERSON } from "../../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

it("stores a message without a time once, at its first arrival, however often the platform repeats it", async () => {
  const queues = await testEnv.newQueues();
  const { account, shownTexts, read } = await openChangeFixture(testEnv, queues);
  const event = { sender: { id: PERSON }, recipient: { id: account }, message: { mid: "m1", text: "hello" } };
  const raw = Buffer.from(JSON.stringify({ object: "instagram", entry: [{ id: account, messaging: [event] }] }));
  const ulids: string[] = [];
  const arrivedAt = testEnv.now();
  for (let arrival = 0; arrival < 3; arrival++) {
    const effects = newEffects();
    const now = testEnv.now();
    const ports = testEnv.ingestPorts(queues);
    await ingestUpdates(ports, accountResolver(ports), parseUpdates(raw, now), { effects, now });
    ulids.push(...effects.events.map(({ body }) => JSON.parse(body).event));
    testEnv.advance(MINUTE);
  }
  expect(await shownTexts()).toEqual(["hello"]);
  expect(await read("m1")).toMatchObject({ sentAt: arrivedAt, direction: "inbound", sentVia: "participant" });
  expect(ulids).toHaveLength(3);
  expect(new Set(ulids).size).toBe(1);
});
