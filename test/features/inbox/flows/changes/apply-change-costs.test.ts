import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { drainErasures, runErasure } from "../../../../support/flows/data-subject.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import {
  editEvent,
  ingestEvents,
  type PlatformEvent,
  policyEvent,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import type { TestEnv, TestQueues } from "../../../../support/flows/test-env.ts";
import type { Meter } from "../../../../support/meter.ts";
import { useMeteredEnv } from "../../../../support/metering/metered-env.ts";
import { sampleMessageId, sampleText } from "../../../../support/pipeline/traffic.ts";
import { readItem } from "../../../../support/stores/items.ts";

// Exact unit counts. docs/design/table-costs.md shows the same figures.

let testEnv: TestEnv;
let queues: TestQueues;
let meter: Meter;
useMeteredEnv((opened) => {
  ({ testEnv, queues, meter } = opened);
});

let cost: (...platformEvents: PlatformEvent[]) => Promise<{ wcu: number; rcu: number }>;
let at: number;
let tenant: TenantId;
let conversation: string;
let messageIdOf: (n: number) => string;
beforeEach(async () => {
  const created = await newConversation(testEnv);
  ({ tenant, conversation } = created);
  const { account } = created;
  const ports = testEnv.ingestPorts(queues);
  const resolveAccount = accountResolver(ports);
  at = testEnv.now() - MINUTE;
  messageIdOf = (n) => sampleMessageId("instagram", account, n, at + n);
  cost = async (...platformEvents) => {
    const { wcu, rcu } = await meter.measure("cost", () =>
      ingestEvents(ports, account, platformEvents, testEnv.now(), resolveAccount),
    );
    return { wcu, rcu };
  };
  await cost(textEvent(messageIdOf(1), sampleText(1), at + 1), textEvent(messageIdOf(2), sampleText(2), at + 2));
});

it("an unsend costs 6 writes when the message is the newest, else 5", async () => {
  expect(await cost(unsendEvent(messageIdOf(2), at + 5))).toEqual({ wcu: 6, rcu: 1.5 });
  expect(await cost(unsendEvent(messageIdOf(1), at + 6))).toEqual({ wcu: 5, rcu: 1.5 });
});

it("an edit costs the same as an unsend", async () => {
  expect(await cost(editEvent(messageIdOf(2), sampleText(3), 1, at + 5))).toEqual({ wcu: 6, rcu: 1.5 });
});

it("a reaction costs its event and the message's row", async () => {
  expect(await cost(reactionEvent(messageIdOf(2), "react", at + 5))).toEqual({ wcu: 4, rcu: 1.5 });
  const repeated = reactionEvent(messageIdOf(2), "react", at + 5);
  expect(await cost(repeated)).toEqual({ wcu: 3, rcu: 1.5 });
});

it("an unsend of a message with a reaction costs the read and removal of the reaction's event, and a refused write", async () => {
  await cost(reactionEvent(messageIdOf(2), "react", at + 5));
  expect(await cost(unsendEvent(messageIdOf(2), at + 6))).toEqual({ wcu: 8, rcu: 2.5 });
});

it("an unsend before its message costs its marker, and the message the removal of its content", async () => {
  expect(await cost(unsendEvent(messageIdOf(3), at + 5))).toEqual({ wcu: 5, rcu: 2.5 });
  expect(await cost(textEvent(messageIdOf(3), sampleText(3), at + 3))).toEqual({ wcu: 12, rcu: 1.5 });
});

it("a change of an erased message costs only the reads that detect the erasure", async () => {
  const queues = await testEnv.newQueues();
  const change = () => cost(editEvent(messageIdOf(2), sampleText(3), 1, testEnv.now()));
  await runErasure(testEnv, queues, { tenant, conversation });
  testEnv.advance(MINUTE);
  await change();
  expect(await change()).toEqual({ wcu: 0, rcu: 2.5 });
  await drainErasures(testEnv, queues);
  await change();
  expect(await change()).toEqual({ wcu: 0, rcu: 3.5 });
});

it("a policy action costs the account's write and its event", async () => {
  expect(await cost(policyEvent("block", at))).toEqual({ wcu: 2, rcu: 1 });
  expect(await cost(policyEvent("block", at))).toEqual({ wcu: 1, rcu: 1 });
  expect(await cost(policyEvent("warning", at + 1))).toEqual({ wcu: 0, rcu: 0 });
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
    const Item = await readItem(testEnv.table, Key);
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
