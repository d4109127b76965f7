import { expect, it } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { createHold } from "#features/holds/flows/create.ts";
import { attachmentOwnerStore } from "#features/sending/store/attachment-owners.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const { testEnv, fixture } = replyFixtures();

function storeOwner(attachmentId: string, owner: string, tenant = fixture.tenant): Promise<void> {
  const uploadedAt = testEnv.now();
  return attachmentOwnerStore(testEnv.table).put(tenant, {
    attachmentId,
    accountKey: owner,
    scope: "live",
    uploadedAt,
  });
}
const images = (...ids: string[]) => ids.map((attachmentId) => ({ type: "image", attachmentId }));
const refused = (index: number) => ({
  refused: "invalid_request",
  detail: `attachments[${index}].attachment_id: was uploaded by another account`,
});

it("an attachment of the same account is sent, and so is an unknown one", async () => {
  await storeOwner(`${fixture.tenant}-own`, accountKey(fixture.accountRef));
  const attachments = images(`${fixture.tenant}-own`, "1857777774821032", `${fixture.tenant}-own`);
  expect(await fixture.sendReply({ text: null, attachments })).toHaveProperty("messageId");
});

it("an attachment of another account is refused before a budget is spent or the platform is called", async () => {
  await storeOwner(`${fixture.tenant}-own`, accountKey(fixture.accountRef));
  await storeOwner(`${fixture.tenant}-other`, `messenger#${fixture.accountRef.externalId}`);
  const attachments = images(`${fixture.tenant}-own`, `${fixture.tenant}-other`);
  for (let i = 0; i < 12; i++) {
    expect(await fixture.sendReply({ text: null, attachments, idempotencyKey: "key" })).toMatchObject(refused(1));
  }
  expect([fixture.platformCalls, await fixture.records(), await fixture.dueItems()]).toEqual([[], [], []]);
  // Neither the budget nor the idempotency key is consumed.
  expect(await fixture.sendReply({ idempotencyKey: "key" })).toHaveProperty("messageId");
});

it("a message with an attachment of another account is not held", async () => {
  await storeOwner(`${fixture.tenant}-other`, "instagram#1");
  testEnv.advance(2 * DAY);
  const caller = { kind: "tenant_key", keyId: "k", tenant: fixture.tenant, scope: "live" } as const;
  const message = {
    conversationId: fixture.id,
    text: null,
    attachments: images(`${fixture.tenant}-other`),
    replyTo: null,
    actorId: "ada",
  };
  const time = startRequestTime(testEnv.now);
  expect(await createHold(fixture.ports(), { caller, ip: null }, message, time)).toMatchObject(refused(0));
});

it("an attachment that another tenant uploaded is unknown, so its account is not disclosed", async () => {
  await storeOwner(`${fixture.tenant}-theirs`, "instagram#1", newTenant());
  const attachments = images(`${fixture.tenant}-theirs`);
  expect(await fixture.sendReply({ text: null, attachments })).toHaveProperty("messageId");
});

it("the account of an attachment is known for 90 days", async () => {
  await storeOwner(`${fixture.tenant}-other`, "instagram#1");
  const attachmentOwners = attachmentOwnerStore(testEnv.table);
  const accountKeyIn = async (wait: number) =>
    (await attachmentOwners.getAccountKeys(fixture.tenant, [`${fixture.tenant}-other`], testEnv.now() + wait))[0];
  expect(await accountKeyIn(90 * DAY - 1)).toBe("instagram#1");
  expect(await accountKeyIn(90 * DAY)).toBeNull();
});
