import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { holdError, holdSecretHash, newHoldId } from "#features/holds/rules/holds.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import type { SendContent } from "#features/sending/rules/send-content.ts";
import { withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import {
  createSampleHold,
  HELD_CONTENT,
  holdAuditEntry,
  LAST_MESSAGE_AT,
  recordInbound,
  sampleHold,
} from "../../../support/stores/hold-samples.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const table = openedOnce(openTestTable);
const holds = openedOnce(() => holdStore(table));

it.each<SendContent>([
  HELD_CONTENT,
  {
    kind: "attachments",
    attachments: [
      { type: "image", url: "https://example.com/a.png" },
      { type: "image", attachmentId: "123" },
    ],
  },
])("a new hold is read as it was made, with its content ($kind)", async (content) => {
  const hold = await createSampleHold(table, { content, scope: "test", replyTo: "m_1" });
  expect(await holds.get(hold.id)).toEqual({
    ...hold,
    tenant: hold.conversationId.split("#")[1],
    sendId: null,
    state: { status: "awaiting_verification" },
  });
});

it("a new hold is stored with its ref and its audit row, or not at all", async () => {
  const rows = async (PK: string) =>
    (
      await table.client.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: "PK = :p",
          ExpressionAttributeValues: { ":p": PK },
        }),
      )
    ).Items ?? [];
  const hold = await createSampleHold(table);
  const [, tenant = ""] = hold.conversationId.split("#");
  expect(await rows(hold.conversationId)).toContainEqual(
    expect.objectContaining({ SK: `A#hold#${hold.id}`, at: LAST_MESSAGE_AT }),
  );
  expect(await rows(`A#${tenant}`)).toMatchObject([{ ac: "hold.create", rs: `hold:${hold.id}` }]);

  const orphan = sampleHold(newTenant());
  expect(await holds.create(orphan, LAST_MESSAGE_AT, holdAuditEntry(orphan))).toBe(false);
  expect(await holds.get(orphan.id)).toBeNull();
  expect(await rows(orphan.conversationId)).toEqual([]);
});

it("a new hold is created once, also when the call is repeated or its response is lost", async () => {
  const hold = await createSampleHold(table);
  expect(await holds.create(hold, LAST_MESSAGE_AT, holdAuditEntry(hold))).toBe(true);
  const tenant = newTenant();
  await recordInbound(table, tenant);
  const other = sampleHold(tenant);
  expect(
    await withFaults(table.client, "lost", () => holds.create(other, LAST_MESSAGE_AT, holdAuditEntry(other))),
  ).toBe(true);
  expect(await holds.get(other.id)).toMatchObject({ content: HELD_CONTENT });
});

it("a claim with the wrong secret, of an expired hold or of a missing one fails", async () => {
  const hold = await createSampleHold(table);
  const sendId = newUlid(NOW);
  const claimed = await holds.claimHold({ id: hold.id, secretHash: holdSecretHash("other") }, sendId, NOW);
  expect(claimed?.state).toEqual({ status: "awaiting_verification" });
  expect((await holds.claimHold(hold, sendId, hold.expiresAt))?.sendId).toBeNull();
  expect(await holds.claimHold({ ...hold, id: newHoldId(NOW) }, sendId, NOW)).toBeNull();
  expect((await holds.claimHold(hold, sendId, hold.expiresAt - 1))?.sendId).toBe(sendId);
});

it("a claim is recognized by its sender when the response was lost", async () => {
  const hold = await createSampleHold(table);
  const sendId = newUlid(NOW);
  const claimed = await withFaults(table.client, "lost", () => holds.claimHold(hold, sendId, NOW));
  expect(claimed).toMatchObject({ sendId, content: null, state: { status: "sending", claimedAt: NOW } });
});

it("a claim succeeds for one of many concurrent callers", async () => {
  const hold = await createSampleHold(table);
  const ids = Array.from({ length: 20 }, () => newUlid(NOW));
  const claims = await Promise.all(ids.map((id) => holds.claimHold(hold, id, NOW)));
  expect(claims.filter((claim, i) => claim?.sendId === ids[i])).toHaveLength(1);
});

it("a hold that was recorded as expired cannot be claimed by a clock that is behind", async () => {
  const hold = await createSampleHold(table);
  const current = await holds.get(hold.id);
  if (!current) throw new Error("The hold is not there.");
  expect((await holds.expire(current, hold.expiresAt))?.state).toEqual({ status: "expired" });
  const sendId = newUlid(NOW);
  const claimed = await holds.claimHold(hold, sendId, hold.expiresAt - 1);
  expect(claimed).toMatchObject({ sendId: null, state: { status: "expired" } });
});

it("a claimed hold does not expire by a clock that is ahead", async () => {
  const hold = await createSampleHold(table);
  const current = await holds.get(hold.id);
  const sendId = newUlid(NOW);
  await holds.claimHold(hold, sendId, hold.expiresAt - 1);
  if (!current) throw new Error("The hold is not there.");
  expect((await holds.expire(current, hold.expiresAt))?.state.status).toBe("sending");
});

it("a send that ends after its minute changes nothing, whether or not the hold was read since", async () => {
  const hold = await createSampleHold(table);
  const sendId = newUlid(NOW);
  await holds.claimHold(hold, sendId, NOW);
  const late = NOW + MINUTE + 1;
  const outcome = { trigger: "accept", platformMessageId: "m_1" } as const;
  expect((await holds.settleHold(hold.id, sendId, outcome, late))?.state.status).toBe("sending");
  const sending = await holds.get(hold.id);
  if (!sending) throw new Error("The hold is not there.");
  const failed = { status: "failed", error: holdError("outcome_unknown", "outcome_unknown") };
  expect((await holds.expire(sending, late))?.state).toEqual(failed);
  expect((await holds.settleHold(hold.id, sendId, outcome, NOW))?.state).toEqual(failed);
});
