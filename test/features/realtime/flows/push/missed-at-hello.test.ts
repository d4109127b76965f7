import { expect, it } from "vitest";
import type { QueueMessage } from "#base/aws/queues.ts";
import { SOCKET_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { put, sendWrite } from "#base/table/writes.ts";
import { apiKeyItemKey } from "#features/access/store/items.ts";
import { listMessages } from "#features/inbox/flows/read-inbox.ts";
import { listSockets, newPushBatch } from "#features/realtime/flows/push/batch.ts";
import { pushMessage } from "#features/realtime/flows/push/push-message.ts";
import { decodeRealtime, type RealtimeTask } from "#features/realtime/queue.ts";
import { hasSockets } from "#features/realtime/rules/sockets.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { repetitions } from "../../../../support/sampling.ts";
import { openWorldTable, type WorldTable } from "../../../../support/world/world-table.ts";
import { openPushFixture } from "./support/push-fixture.ts";

const SEEDS = repetitions({ whole: 500, sample: 20 });
const MESSAGES = 6;
/** A message is received again after this time. */
const REDELIVERY: Millis = SECOND;

let table: WorldTable;
const testEnv = openedOnce(() =>
  openTestEnv({
    startTable: (now) => {
      table = openWorldTable(now);
      return table;
    },
  }),
);

/** A generator of numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Work in virtual time: each step runs at its instant, and may add others. */
function openSchedule(start: Millis) {
  const steps: { readonly at: Millis; readonly run: () => Promise<void> }[] = [];
  return {
    at(at: Millis, run: () => Promise<void>): void {
      steps.push({ at: Math.round(at), run });
    },
    async run(): Promise<void> {
      let now = start;
      for (let step = takeFirst(); step; step = takeFirst()) {
        if (step.at > now) testEnv.advance(step.at - now);
        now = Math.max(now, step.at);
        await step.run();
      }
    },
  };
  function takeFirst() {
    steps.sort((a, b) => a.at - b.at);
    return steps.shift();
  }
}

/** One connection while messages arrive. @returns the messages that its client never saw */
async function missedMessages(seed: number): Promise<string[]> {
  const random = randomOf(seed);
  // Short waits are likely, so that a message passes all its steps within the time that a copy is behind.
  const between = (from: Millis, to: Millis) => from + random() ** 4 * (to - from);
  testEnv.advance(MINUTE);
  const fixture = await openPushFixture(testEnv);
  const { tenant, stores } = fixture;
  await stores.accounts.markSockets(tenant, fixture.account, testEnv.now() + 4 * HOUR);
  await sendWrite(testEnv.table, put({ ...apiKeyItemKey(tenant, "key-1"), st: "active" }));
  table.setLag(() => (random() < 0.7 ? Math.floor(random() * 8) : 0));
  const start = testEnv.now();
  const schedule = openSchedule(start);
  const connectionId = `connection-of-seed-${seed}`;
  fixture.gone.add(connectionId);
  const read = new Set<string>();
  let isGreeted = false;
  let isFetched = false;
  fixture.onPost((id) => {
    if (!fixture.gone.has(id)) isGreeted = true;
  });

  const ports = {
    ...fixture.ports,
    realtime: {
      send: async ({ body, delay = 0 }: QueueMessage) => {
        receive(decodeRealtime(body) ?? expect.unreachable(), testEnv.now() + delay + between(0, SECOND));
      },
    },
  };

  /** The worker gets a message, also twice. Its read of the sockets may be a second old when it goes on. */
  const receive = (task: RealtimeTask, at: Millis) => {
    const sentAt = testEnv.now();
    const message = { tenant, ...task };
    const process = async () => {
      const batch = newPushBatch(testEnv.now);
      if (task.kind === "events") await listSockets(ports, tenant, batch);
      const goOn = async () => {
        const failed = await pushMessage(ports, { message, sentAt }, batch).then(
          (outcome) => outcome.end === "retry",
          () => true,
        );
        if (failed) schedule.at(testEnv.now() + REDELIVERY, process);
        if (!isGreeted || isFetched) return;
        isFetched = true;
        schedule.at(testEnv.now() + between(0, 300), refetch);
      };
      schedule.at(testEnv.now() + between(0, SECOND), goOn);
    };
    schedule.at(at, process);
    if (random() < 0.2) schedule.at(at + between(0, 2 * SECOND), process);
  };
  const refetch = async () => {
    const query = { conversationId: null, direction: null, before: null, limit: 50, includeTest: false };
    const page = await listMessages(testEnv.apiPorts(fixture.queues), tenant, query, testEnv.now());
    if (isRefusal(page)) throw new Error("The fetch was refused.");
    for (const { message } of page.rows) read.add(message.id);
  };

  const connectAt = start + between(0, 3 * SECOND);
  schedule.at(connectAt, async () => {
    const connectedAt = testEnv.now();
    const grant = { kind: "tenant_key", keyId: "key-1" } as const;
    await stores.sockets.connect(tenant, {
      connectionId,
      grant,
      connectedAt,
      expiresAt: connectedAt + SOCKET_LIFETIME,
    });
    receive({ kind: "hello", connectionId }, connectedAt + 2 * SECOND + between(0, SECOND));
    schedule.at(connectedAt + between(0, 3 * SECOND), async () => void fixture.gone.delete(connectionId));
  });
  const ids = Array.from({ length: MESSAGES }, (_, n) => `m-${seed}-${n}`);
  for (const id of ids) {
    schedule.at(start + random() * 6 * SECOND, async () => {
      const event = fixture.event(await fixture.recordMessage(id));
      // The deliver worker reads the tenant once, and queues the event a moment later.
      schedule.at(testEnv.now() + between(0, SECOND), async () => {
        if (!hasSockets(await stores.endpoints.listWithSockets(tenant), testEnv.now())) return;
        const sendsAt = testEnv.now() + between(0, SECOND);
        schedule.at(sendsAt, async () => receive({ kind: "events", events: [event] }, sendsAt + between(0, SECOND)));
      });
    });
  }
  await schedule.run();
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  const hello = frames.findIndex(({ type }) => type === "hello");
  expect([seed, hello]).toEqual([seed, 0]);
  const pushed = frames.filter(({ type }) => type === "message.received").map(({ data }) => data.message.id);
  return ids.filter((id) => !read.has(id) && !pushed.includes(id));
}

it(`in ${SEEDS} interleavings of a connection with messages, each message is in what its client fetches at the first frame, or pushed after it`, async () => {
  const histories: (readonly [number, string[]])[] = [];
  for (let seed = 0; seed < SEEDS; seed++) histories.push([seed, await missedMessages(seed)]);
  expect(histories.filter(([, missed]) => missed.length > 0)).toEqual([]);
}, 120_000);
