import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { relatedKeys } from "#features/erasure/store/items.ts";
import { headKey } from "#features/inbox/store/items.ts";
import type { UploadOutcome } from "#platforms/graph/platform.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { deleteItem } from "../../../support/stores/items.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { openHandOverFixture, refuseUpload, takeUpload } from "./support/hand-over-fixture.ts";

// What happens to the account, and to the conversation, between the finish of an upload and its end.

let id: string;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openHandOverFixture(testEnv));
beforeEach(async () => {
  id = await fixture.newUpload();
});

const TEXT = "the platform's words";
const refused = (changes: object) => refuseUpload({ detail: TEXT, ...changes });
const remove = (key: Parameters<typeof deleteItem>[1]) => deleteItem(testEnv.table, key);
const removeUpload = () => remove(relatedKeys.upload(id));
const account = () => fixture.accounts.get(fixture.tenant, fixture.account);
const events = async () => (await fixture.standaloneEvents()).map(({ type }) => type);

async function setStatus(status: "needs_reauth" | "restricted") {
  const at = testEnv.now();
  const change = { status, detail: TEXT, asOf: at, at, eventUlid: "01M7ZAN532DXZZ1TKP6RZ0YEPG" };
  await fixture.accounts.setStatus(fixture.tenant, fixture.account, change);
}

async function expectFailed(code: string, detail: string | null, calls = 0) {
  await fixture.run();
  expect(await fixture.state(id)).toMatchObject({ status: "failed", error: { code, detail } });
  expect(fixture.calls).toHaveLength(calls);
  expect(await fixture.copies()).toEqual([]);
}

it("an upload is not handed over when its account was disconnected", async () => {
  await remove(accountItemKey(fixture.tenant, fixture.account));
  await expectFailed("conversation_not_found", null);
});

it("an upload is not shown as handed over when its account was disconnected during the call", async () => {
  fixture.setAnswer(async () => {
    await testEnv.disconnect(fixture.tenant, fixture.account);
    return takeUpload("att-of-no-account");
  });
  await expectFailed("conversation_not_found", null, 1);
  expect(await fixture.ownerOf("att-of-no-account")).toBeNull();
});

it("an upload is not handed over when its conversation is gone", async () => {
  await remove(headKey(fixture.id));
  await expectFailed("conversation_not_found", null);
});

it.each(["needs_reauth", "restricted"] as const)(
  "an upload is not handed over when its account is %s",
  async (status) => {
    await setStatus(status);
    await expectFailed("send_failed", status);
    // The refused send that changed the status has published it.
    expect(await events()).toEqual([]);
  },
);

it("an upload is not handed over when the platform's policy restricts its account", async () => {
  const decision = { action: "block", reason: TEXT, at: testEnv.now(), eventUlid: "block" } as const;
  await fixture.accounts.setPolicy(fixture.tenant, fixture.account, decision);
  await expectFailed("send_failed", "restricted");
});

it("an upload of a test key is not handed over when its account cannot send", async () => {
  await fixture.run();
  id = await fixture.newUpload({ scope: "test" });
  await setStatus("needs_reauth");
  await fixture.run();
  expect(await fixture.state(id)).toMatchObject({ status: "failed", error: { detail: "needs_reauth" } });
});

describe("after a restriction", () => {
  beforeEach(async () => {
    await fixture.run();
    await setStatus("restricted");
    testEnv.advance(HOUR);
    await fixture.take({ messageId: `${fixture.tenant}-later` });
    id = await fixture.newUpload();
  });

  it("a restricted account is tried when it is due, and an upload that the platform takes does not end the restriction", async () => {
    await fixture.run();
    expect(await fixture.state(id)).toMatchObject({ status: "ready" });
    expect(await account()).toMatchObject({ status: "restricted" });
  });

  it("a restricted account is tried after twice the time if the upload is refused, too", async () => {
    fixture.setAnswer(refused({ class: "restricted", accountStatus: "restricted" }));
    await expectFailed("send_failed", TEXT, 2);
    expect((await account())?.retryAt).toBe(testEnv.now() + 2 * HOUR);
  });
});

it.each([
  ["token", "needs_reauth"],
  ["permission", "needs_reauth"],
  ["restricted", "restricted"],
] as const)(
  "a refusal changes the account as that of a send does, %s: the status is %s, with one event",
  async (refusalClass, accountStatus) => {
    fixture.setAnswer(refused({ class: refusalClass, accountStatus }));
    await expectFailed("send_failed", TEXT, 1);
    expect(await account()).toMatchObject({ status: accountStatus, statusDetail: TEXT });
    expect(await events()).toEqual([`account.${accountStatus}`]);
    await fixture.enqueue(id);
    await fixture.run();
    expect(await events()).toEqual([`account.${accountStatus}`]);
  },
);

const budget = () => {
  const { tenant, account: ref, id: conversationId } = fixture;
  return openStores(testEnv.table).budgets.get({ tenant, account: ref, conversationId, scope: "live" });
};

it.each([17 * MINUTE, 5 * MINUTE - 10 * SECOND])(
  "a refusal of the rate pauses the account's sends (%i ms)",
  async (coolDownMs) => {
    fixture.setAnswer(refused({ class: "rate", coolDownMs }));
    await expectFailed("send_failed", TEXT, 1);
    expect(JSON.stringify(await budget())).toContain(String(testEnv.now() + coolDownMs));
    expect(await account()).toMatchObject({ status: "active" });
  },
);

it.each([
  ["is ready if the platform takes it then", takeUpload("second"), { status: "ready", attachmentId: "second" }],
  [
    "fails if it is refused again",
    refused({ class: "rate", coolDownMs: SECOND, detail: "again" }),
    { status: "failed", error: { code: "send_failed", detail: "again" } },
  ],
])(
  "after a refusal of the rate, an upload whose time lasts longer than the pause waits for its end, and %s",
  async (_name, second, end) => {
    fixture.setAnswer(refused({ class: "rate", coolDownMs: MINUTE }));
    expect(await fixture.run()).toEqual({ received: 1, failed: 1 });
    expect(JSON.stringify(await budget())).toContain(String(testEnv.now() + MINUTE));
    expect(await fixture.state(id)).toMatchObject({ status: "processing", tries: 1 });
    testEnv.advance(MINUTE - 1);
    expect(await fixture.run()).toEqual({ received: 0, failed: 0 });
    testEnv.advance(1);
    fixture.setAnswer(second);
    expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
    expect(await fixture.state(id)).toMatchObject(end);
    expect(fixture.calls).toHaveLength(2);
    expect(await fixture.copies()).toEqual([]);
  },
);

it.each(["window", "recipient", "thread_owner", "invalid", "other"] as const)(
  "a refusal changes nothing of the account: %s",
  async (refusalClass) => {
    fixture.setAnswer(refused({ class: refusalClass }));
    await expectFailed("send_failed", TEXT, 1);
    expect(await account()).toMatchObject({ status: "active" });
    expect(await events()).toEqual([]);
  },
);

it("a refusal does not change an account whose token was refreshed after the call began", async () => {
  fixture.setAnswer(async () => {
    testEnv.advance(SECOND);
    await fixture.reconnect();
    return refused({ class: "token", accountStatus: "needs_reauth" });
  });
  await expectFailed("send_failed", TEXT, 1);
  expect(await account()).toMatchObject({ status: "active" });
  expect(await events()).toEqual([]);
});

it.each<[string, UploadOutcome]>([
  ["took it", takeUpload("att")],
  ["refused it", refused({})],
  ["did not answer", unknownOutcome as UploadOutcome],
])(
  "an upload whose conversation is erased during the call ends without a row and without a copy when the platform %s",
  async (_name, outcome) => {
    fixture.setAnswer(async () => {
      await removeUpload();
      return outcome;
    });
    expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
    expect(await fixture.uploads.get(id)).toBeNull();
    expect(await fixture.copies()).toEqual([]);
  },
);

it("an upload whose conversation is erased before the call ends without a call", async () => {
  await removeUpload();
  expect(await fixture.run()).toEqual({ received: 1, failed: 0 });
  expect(fixture.calls).toEqual([]);
  expect(await fixture.uploads.get(id)).toBeNull();
});
