import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { accountRouteKey } from "#features/accounts/store/items.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { PENDING_MESSAGES_MAX } from "#features/inbox/store/pending-changes.ts";
import { allRows, runErasure } from "../../../support/flows/data-subject.ts";
import { newConversation } from "../../../support/flows/new-conversation.ts";
import {
  editEvent,
  ingestEvents,
  listFeed,
  type PlatformEvent,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { openWorldTable, type WorldTable } from "../../../support/world/world-table.ts";

// DynamoDB may answer an eventually consistent read from the state before the last writes.

let world: WorldTable;
const testEnv = openedOnce(() =>
  openTestEnv({
    startTable: (now) => {
      world = openWorldTable(now);
      return world;
    },
  }),
);
const queues = openedEach(() => testEnv.newQueues());
afterEach(() => world.setLag(() => 0));

/** From now on, an eventually consistent read of these partitions does not see the writes of the last second. */
function hideRecentWrites(...partitions: readonly string[]): void {
  world.setLag(({ partition }) => (partitions.includes(partition) ? Number.POSITIVE_INFINITY : 0));
}

const ingestIn = (account: string, ...platformEvents: PlatformEvent[]) =>
  ingestEvents(testEnv.ingestPorts(queues), account, platformEvents, testEnv.now());

it("the first message of an account is stored and published, even where its route is not visible yet", async () => {
  const tenant = newTenant();
  const ref = { platform: "instagram", externalId: `ig-${tenant}` } as const;
  hideRecentWrites(accountRouteKey(ref).PK, `T#${tenant}`);
  const account = await testEnv.connect(tenant);
  const { events } = await ingestIn(account, textEvent("first", "hello", testEnv.now()));
  expect(events).toHaveLength(1);
  expect(await listFeed(testEnv, tenant)).toMatchObject([{ id: "first", text: "hello" }]);
});

it("the state of a tenant with several accounts is no older than a minute", async () => {
  const tenant = newTenant();
  const ports = testEnv.ingestPorts(queues);
  const resolveAccount = accountResolver(ports);
  const refs = await Promise.all(
    (["instagram", "messenger"] as const).map(async (platform) => ({
      platform,
      externalId: await testEnv.connect(tenant, platform),
    })),
  );
  const lastErasure = async (ref: AccountRef | undefined) =>
    ref && (await resolveAccount(ref, { at: testEnv.now(), now: testEnv.now() }))?.lastErasureAt;
  await lastErasure(refs[0]);
  testEnv.advance(MINUTE - 1);
  await lastErasure(refs[1]);
  const erasedAt = testEnv.now();
  await testEnv.erasePorts(queues).tenantStates.recordErasure(tenant, erasedAt);
  testEnv.advance(1);
  expect(await lastErasure(refs[1])).toBe(erasedAt);
});

describe("where the head is not visible as erased yet,", () => {
  let tenant: TenantId;
  let account: string;
  let conversation: string;
  beforeEach(async () => {
    ({ tenant, account, conversation } = await newConversation(testEnv));
    await ingestIn(account, textEvent("m1", "secret", testEnv.now() - MINUTE));
    testEnv.advance(SECOND);
    hideRecentWrites(conversation);
    await runErasure(testEnv, queues, { tenant, conversation });
    testEnv.advance(SECOND - 1);
  });

  it.each<[string, () => PlatformEvent]>([
    ["an edit", () => editEvent("m1", "secret", 1, testEnv.now())],
    ["an unsend", () => unsendEvent("m1", testEnv.now())],
    ["a reaction", () => reactionEvent("m1", "react", testEnv.now())],
  ])("%s of an erased message is dropped", async (_what, platformEvent) => {
    const { events } = await ingestIn(account, platformEvent());
    expect(events).toEqual([]);
    const rows = (await allRows(testEnv)).filter(({ PK }) => PK === conversation || PK.startsWith(`E#${tenant}`));
    expect(rows.map(({ SK }) => SK)).toEqual(["~HEAD"]);
  });

  it("the echo of a send that began before the erasure is dropped", async () => {
    const metadata = newUlid(testEnv.now() - 2 * SECOND);
    const content = { message: { mid: "sent", text: "secret", is_echo: true, metadata } };
    const { events } = await ingestIn(account, { at: testEnv.now(), fromAccount: true, content });
    expect(events).toEqual([]);
    expect(await listFeed(testEnv, tenant)).toEqual([]);
  });
});

it("the newest changes that wait for their message stay, even where their items are not visible yet", async () => {
  const { tenant, account, conversation } = await newConversation(testEnv);
  const editOf = (mid: string) => ingestIn(account, editEvent(mid, "edited", 1, testEnv.now()));
  for (let n = 1; n < PENDING_MESSAGES_MAX; n++) await editOf(`old ${n}`);
  testEnv.advance(SECOND);
  hideRecentWrites(conversation);
  await editOf("new");
  await editOf("newer");
  world.setLag(() => 0);
  await ingestIn(account, textEvent("new", "first", testEnv.now() - 1), textEvent("newer", "first", testEnv.now()));
  const messages = await listFeed(testEnv, tenant);
  expect(messages.map(({ edit }) => edit?.text)).toEqual(["edited", "edited"]);
});
