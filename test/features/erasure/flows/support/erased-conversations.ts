import { expect } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import {
  allRows,
  type DataSubject,
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  runErasure,
  seedDataSubject,
} from "../../../../support/flows/data-subject.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import { openTestEnv, type TestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { newTenant } from "../../../../support/stores/samples.ts";

/** Opens an environment for the tests of a file, and an account and an empty conversation for each test. */
export function useConversation() {
  const testEnv = openedOnce(openTestEnv);
  const queues = openedEach(() => testEnv.newQueues());
  const world = openedEach(() => newConversation(testEnv));
  const partition = async () => (await allRows(testEnv)).filter(({ PK }) => PK === world.conversation);
  return {
    testEnv,
    queues,
    world,
    /** The rows of the conversation. */
    partition,
    /** The first two characters of their sort keys. */
    sortKeyKinds: async () => (await partition()).map(({ SK }) => SK.slice(0, 2)).sort(),
    eraseNow: (pages?: number) => runErasure(testEnv, queues, world, pages),
    drain: () => drainErasures(testEnv, queues),
    /** Completes the erasure, which leaves no row of the conversation. */
    async expectErased(): Promise<void> {
      await drainErasures(testEnv, queues);
      expect(await partition()).toEqual([]);
    },
  };
}

interface Seed {
  /** The status of the endpoint of each name. */
  readonly endpoints?: Readonly<Record<string, string>>;
  readonly messages?: number;
}

/** Opens an environment for the tests of a file, and a conversation with rows of every kind for each test. */
export function useSubject({ endpoints = { one: "active" }, messages = 3 }: Seed = {}) {
  const testEnv = openedOnce(openTestEnv);
  const queues = openedEach(() => testEnv.newQueues());
  const subject = openedEach(() => newSubject());

  async function newSubject(): Promise<DataSubject & { readonly endpointIds: readonly string[] }> {
    const tenant = newTenant();
    const endpointIds: string[] = [];
    for (const [name, status] of Object.entries(endpoints))
      endpointIds.push(await putEndpointRow(testEnv, tenant, name, status));
    const created = await seedDataSubject(testEnv, tenant, endpointIds, { messages });
    testEnv.advance(SECOND);
    return { ...created, endpointIds };
  }

  return {
    testEnv,
    queues,
    subject,
    newSubject,
    erase: (pages?: number) => runErasure(testEnv, queues, subject, pages),
    drain: () => drainErasures(testEnv, queues),
    /** Completes the erasure, which leaves no row with a message of the person. */
    async expectErased(of: DataSubject = subject, message?: string): Promise<void> {
      await drainErasures(testEnv, queues, MINUTE);
      expect(await rowsMentioning(testEnv, of), message).toEqual([]);
    },
  };
}

/** Records that an endpoint got an event at the first attempt. */
export async function recordAttempt(
  testEnv: TestEnv,
  delivery: { readonly tenant: DataSubject["tenant"]; readonly endpointId: string; readonly eventUlid: string },
  eventType: "message.received" | "message.edited" = "message.received",
): Promise<void> {
  const { tenant, ...attempt } = delivery;
  await deliveryStore(testEnv.table).recordFirst(
    tenant,
    { ...attempt, eventType, source: null },
    {
      verdict: { status: "delivered" },
      outcome: { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
      settledAt: testEnv.now(),
    },
  );
}
