import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import { rawCopyAttributes as A } from "#features/inbox/store/attributes.ts";
import { openSeedPorts } from "../../../local/stack/seed-ports.ts";
import { readCopies } from "../../support/flows/raw-copies.ts";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
import { createTestWebhook } from "../support/api-calls.ts";
import { parseJsonOrNull } from "../support/api-response.ts";
import { readTable } from "../support/dump-table.ts";
import { failureLines, readBucket, readQueues, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { type Program, runProgram } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

const slug = "zebra-shop";
const account = "100000000000777";
const mids = { own: newMessageId(), demo: newMessageId() };

let key: string;
const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
beforeAll(async () => {
  const { dataDir, now } = stack;
  await runAdminJson(dataDir, "tenant", "create", slug, "--owner", "owner@example.com");
  key = (await runAdminJson(dataDir, "key", "create", "--tenant", slug, "--scope", "live")).secret;
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const at = await now();
  await openSeedPorts({ environment, now: () => at }).connectAccount(slug, {
    connection: "messenger",
    externalId: account,
    pageId: account,
    handle: "stripes",
    displayName: "Stripes",
    authorizedBy: [],
    token: "EAA-stripes",
  });
  await createTestWebhook(stack, receiver.url, undefined, key);
  await postWebhook(stack, "page", [
    textEntry(account, newPersonId(), mids.own, "of the deleted tenant", at),
    textEntry(demoAccountIds.messenger, newPersonId(), mids.demo, "of another tenant", at),
  ]);
  // The events of people who are new wait for their names.
  await waitFor("the event is delivered", () => receiver.deliveries.length > 0);
  await waitUntilIdle(stack);
});

const rowsNaming = async (text: string) => (await readTable(stack)).filter((row) => JSON.stringify(row).includes(text));
const statusWithKey = async () => (await stack.api("GET", "/v1/conversations", undefined, key)).status;
const waitsIn = (program: Program) => program.errors().split("The next pass starts in 3 minutes").length - 1;

it("tenant delete does nothing without --confirm, or with another slug in it", async () => {
  const before = await rowsNaming(slug);
  expect(before.length).toBeGreaterThan(10);
  for (const confirm of [[], ["--confirm", "demo"], ["--confirm", "zebra"]]) {
    const { code, output, errors } = await runAdmin(stack.dataDir, "tenant", "delete", slug, ...confirm);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toBe(`The deletion of tenant ${slug} cannot be undone. Add --confirm ${slug}.\n`);
  }
  expect(await rowsNaming(slug)).toEqual(before);
  expect(await statusWithKey()).toBe(200);
});

it("tenant delete deletes a tenant, whose keys get 401 at once, and leaves its slug taken and every other tenant as it was", async () => {
  const { dataDir } = stack;
  expect(receiver.deliveries.map(({ event }) => event.data.message.id)).toEqual([mids.own]);
  // A daily check of an account changes its rows, too, up to 15 minutes after it was enqueued: those that wait are made.
  await stack.clock("PT16M");
  await waitUntilIdle(stack);
  const others = await rowsNaming("demo");
  const args = ["tenant", "delete", slug, "--confirm", slug, "--json"];
  const program = runProgram("bin/admin", args, { PARLEY_DATA: dataDir });
  await waitFor("the first pass has ended", () => waitsIn(program) === 1);
  expect(await statusWithKey()).toBe(401);
  const resumed = await runAdmin(dataDir, "tenant", "resume", slug);
  expect([resumed.code, resumed.errors]).toEqual([1, `Tenant ${slug} not found.\n`]);
  await stack.clock("PT3M");
  expect(await program.exitCode).toBe(0);
  expect(waitsIn(program)).toBe(1);
  const result = parseJsonOrNull(program.output()) as Record<string, string>;
  expect(result).toMatchObject({ id: slug, status: "deleted", deleted_by: "cli" });
  const deletedAt = Date.parse(result.deleted_at ?? "");
  expect(Math.abs(deletedAt - (await stack.now()))).toBeLessThan(30_000);
  expect(Date.parse(result.slug_taken_until ?? "") - deletedAt).toBeCloseTo(30 * DAY, -4);

  expect(await rowsNaming("demo")).toEqual(others);
  expect((await stack.api("GET", `/v1/messages/${mids.demo}`)).status).toBe(200);
  const created = await runAdmin(dataDir, "tenant", "create", slug, "--owner", "owner@example.com");
  expect([created.code, created.output]).toEqual([1, ""]);
  const again = (await runAdminJson(dataDir, ...args.slice(0, -1))) as object;
  expect(again).toEqual({ ...result, status: "deleted before" });
});

it("tenant delete leaves nothing with the tenant's name in the queues and the bucket, and one row in the table", async () => {
  // The platform still sends what people write to the account.
  const late = textEntry(account, newPersonId(), newMessageId(), "late", await stack.now());
  expect((await postWebhook(stack, "page", [late])).status).toBe(200);
  await waitUntilIdle(stack);
  expect(receiver.deliveries).toHaveLength(1);
  expect(failureLines(stack.log())).toEqual([]);
  expect((await rowsNaming(slug)).map(({ SK, st }) => [SK, st])).toEqual([["TENANT", "deleted"]]);
  expect(JSON.stringify([...readQueues(stack.dataDir)])).not.toContain(slug);
  // Raw webhooks stay until their end. They name no tenant.
  const rows = (await readTable(stack)).filter(({ PK }) => PK.startsWith("RAW#"));
  const webhooks = rows.flatMap(({ [A.content]: content }) => readCopies(content as Uint8Array)).join("\n");
  for (const text of [mids.own, "late", account]) expect(webhooks).toContain(text);
  const objects = JSON.stringify([...readBucket(stack.dataDir)]);
  for (const stored of [objects, webhooks, JSON.stringify(rows)]) expect(stored).not.toContain(slug);
});
