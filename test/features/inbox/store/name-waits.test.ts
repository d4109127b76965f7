import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { openTable } from "#base/table/client.ts";
import { headAttributes } from "#features/inbox/store/attributes.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { nameWaitStore } from "#features/inbox/store/name-waits.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const tableHandle = openedOnce(() => openTable(table.tableName, table.client));
const messages = openedOnce(() => messageStore(tableHandle));
const waits = openedOnce(() => nameWaitStore(tableHandle));

const ADA = { handle: "ada.lind", username: "ada.lind", name: "Ada Lind" };

/** A message whose event waits for a name. */
async function storeWaiting() {
  const tenant = newTenant();
  const { message, ref } = await messages.record(tenant, sampleMessage(tenant, { id: "m1", nameWait: "waiting" }), NOW);
  await conversationStore(tableHandle).advanceHead(tenant, message, SAMPLE_INBOX);
  const [placed = expect.unreachable("the message is stored")] = await waits.firstMessages(
    tenant,
    ref.conversationId,
    NOW,
  );
  const stored = async () => (await waits.firstMessages(tenant, ref.conversationId, NOW))[0]?.message;
  return { tenant, placed, stored };
}

it("a message that waits is named once, and its event is not claimed again", async () => {
  const { tenant, placed, stored } = await storeWaiting();
  const result = await waits.name(tenant, placed, ADA, NOW);
  expect(result).toMatchObject({ named: true, message: { nameWait: "named", participant: ADA } });
  expect(await stored()).toEqual(result.message);
  const again = await waits.name(tenant, placed, { ...ADA, name: "Another" }, NOW);
  expect(again).toEqual({ named: false, message: await stored() });
  expect(await stored()).toMatchObject({ participant: ADA });
  expect(await waits.end(tenant, placed.message.eventUlid, NOW)).toBe(false);
});

it("a message whose wait was ended gets no name", async () => {
  const { tenant, placed, stored } = await storeWaiting();
  expect(await waits.end(tenant, placed.message.eventUlid, NOW)).toBe(true);
  expect(await waits.end(tenant, placed.message.eventUlid, NOW)).toBe(false);
  expect(await waits.name(tenant, placed, ADA, NOW)).toMatchObject({ named: false, message: { nameWait: "waiting" } });
  expect(await stored()).toEqual(placed.message);
});

it("a message that was unsent or removed since it was read gets no name, and its event stays unclaimed", async () => {
  const { tenant, placed, stored } = await storeWaiting();
  await messageChangeStore(tableHandle).unsend(tenant, placed.ref, { at: NOW });
  expect(await waits.name(tenant, placed, ADA, NOW)).toMatchObject({ named: false, message: { unsentAt: NOW } });
  expect((await stored())?.participant.name).toBeNull();
  await messages.remove(tenant, placed.ref);
  expect(await waits.name(tenant, placed, ADA, NOW)).toEqual({ named: false, message: null });
  expect(await stored()).toBeUndefined();
  expect(await waits.end(tenant, placed.message.eventUlid, NOW)).toBe(true);
});

it.each([-1, 0, 1])(
  "a message gets no name from a fetch that started before an erasure (%i ms after it)",
  async (after) => {
    const { tenant, placed, stored } = await storeWaiting();
    const { conversationId } = placed.ref;
    const Key = headKey(conversationId);
    await tableHandle.client.send(
      new UpdateCommand({
        TableName: tableHandle.name,
        Key,
        UpdateExpression: `SET ${headAttributes.erasedAt} = :at`,
        ExpressionAttributeValues: { ":at": NOW - after },
      }),
    );
    const result = await waits.name(tenant, placed, ADA, NOW);
    expect(result.named).toBe(after === 1);
    expect((await stored())?.participant.name ?? null).toBe(after === 1 ? ADA.name : null);
  },
);

it("a message that does not wait gets no name", async () => {
  const tenant = newTenant();
  const { message, ref } = await messages.record(tenant, sampleMessage(tenant, { id: "m1" }), NOW);
  expect(await waits.name(tenant, { message, ref }, ADA, NOW)).toMatchObject({ named: false });
});

it.each(["name", "end"] as const)(
  "the end of a wait whose answer is lost is still known as its own (%s)",
  async (end) => {
    const { tenant, placed } = await storeWaiting();
    let calls = 0;
    const remove = injectFaults(table.client, () => (calls++ === 0 ? "lost" : "pass"));
    const isOwn =
      end === "name"
        ? (await waits.name(tenant, placed, ADA, NOW)).named
        : await waits.end(tenant, placed.message.eventUlid, NOW);
    remove();
    expect(isOwn).toBe(true);
    expect(calls).toBe(2);
  },
);
