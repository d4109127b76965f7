import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR, type Millis, SECOND } from "#base/kernel/time.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { applyMessageChange } from "#features/inbox/flows/apply-message-change.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { requestHoldPush, requestUploadPush } from "#features/realtime/request-push.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { repetitions } from "../../../../support/sampling.ts";
import type { WorldTable } from "../../../../support/world/world-table.ts";
import type { StreamFixture } from "../support/stream-fixture.ts";
import { createHold, createUpload } from "./support/conversation-fixture.ts";
import { dyingProcess, openLiveEnv, openLiveRun, unlessCrash } from "./support/live-run.ts";
import type { LiveFrame, LiveMessage } from "./support/live-stream.ts";

// A conversation is erased while its messages, an edit, a held message and an upload are pushed: the real workers in virtual
// time, with queues that are late, repeat and reorder, reads that are behind, and a process that dies at any call.

const SEEDS = repetitions({ whole: 40, sample: 2 });
const MESSAGES = 14;
/** Sockets stand and have their first frames when the conversation is erased. */
const WARM_UP: Millis = 20 * SECOND;
/** By then frames that were read before the erasure are sent. */
const SENT_WITHIN: Millis = 2 * SECOND;
const ERASED_PERSON = "person-erased";
const CONTENTS = ["edited text", "held text", "a.png"];

let table: WorldTable;
let testEnv: TestEnv;
let stream: StreamFixture;
beforeAll(async () => {
  ({ table, testEnv, stream } = await openLiveEnv());
});
afterAll(() => testEnv.close());

type Run = Awaited<ReturnType<typeof openLiveRun>>;

/** A message of the person is edited. */
async function edit({ tenant, live, time, queues }: Run, { id, conversationId }: LiveMessage): Promise<void> {
  const ports = testEnv.ingestPorts(queues);
  const snapshot = (await ports.conversations.snapshots([conversationId])).get(conversationId) ?? expect.unreachable();
  const { account } = readConversationId(conversationId) ?? expect.unreachable();
  const effects = newEffects();
  const change = {
    kind: "edit",
    account,
    participantId: ERASED_PERSON,
    at: time.now(),
    messageId: id,
    text: "edited text",
    editCount: 1,
    by: "participant",
  } as const;
  const resolved = { tenant, handle: "@shop", shards: 1, lastErasureAt: null };
  await applyMessageChange(ports, change, { account: resolved, snapshot, effects, now: time.now() });
  for (const { body } of effects.events) await live.deliverLater(body);
}

/** A held message and an upload, each pushed when it is created and again later, also after the erasure. */
async function holdAndUpload(run: Run, conversationId: string): Promise<readonly string[]> {
  const { tenant, live, time } = run;
  const account = { socketsUntil: time.now() + HOUR };
  const target = { stores: live.ports, conversationId };
  const { id: holdId } = await createHold(testEnv, target);
  const uploadId = await createUpload(testEnv, target);
  await live.ports.uploads.startProcessing(uploadId, { copyKey: "h/1/r/a.png", size: 4, at: time.now() });
  const pushLater = async (after: Millis): Promise<void> => {
    await time.sleep(after);
    await requestHoldPush(live.ports, { tenant, account, id: holdId, now: time.now() });
    await requestUploadPush(live.ports, { tenant, account, id: uploadId, now: time.now() });
  };
  for (const after of [0, 3 * SECOND - live.upTo(SECOND), 3 * SECOND + live.upTo(2 * SECOND), 10 * SECOND])
    live.start(pushLater(after));
  return [holdId, uploadId];
}

/** A person writes until their conversation is erased, and another one goes on. @returns the types of the frames before */
async function runErasure(seed: number): Promise<readonly string[]> {
  const run = await openLiveRun(testEnv, stream, seed);
  const { random, tenant, owner, account, queues, time, live } = run;
  table.setLag(() => (random() < 0.5 ? Math.floor(random() * 6) : 0));
  const connect = async (after: Millis) => {
    await time.sleep(after);
    const { connectionId } = await stream.connect(await stream.newTicket(owner, tenant), { openPorts: live.ports });
    return connectionId;
  };
  const connecting = [connect(0), connect(live.upTo(5 * SECOND))];
  for (const work of connecting) live.start(work);
  for (let i = 0; i < MESSAGES; i++) {
    const after = i === 0 ? WARM_UP - 5 * SECOND : WARM_UP - live.upTo(2 * SECOND);
    live.start(time.sleep(after - 1).then(() => live.write(tenant, account, ERASED_PERSON)));
    const other = Math.round(random() * (WARM_UP + 20 * SECOND));
    live.start(time.sleep(other).then(() => live.write(tenant, account)));
  }
  const firstMessage = () => live.messages.find(({ person }) => person === ERASED_PERSON) ?? expect.unreachable();
  let rowIds: readonly string[] = [];
  const change = async () => {
    await time.sleep(WARM_UP - 3 * SECOND);
    rowIds = await holdAndUpload(run, firstMessage().conversationId);
    await time.sleep(3 * SECOND - 1 - live.upTo(2 * SECOND));
    await edit(run, firstMessage());
  };
  live.start(change());
  let removedAt = Number.POSITIVE_INFINITY;
  const erase = async () => {
    await time.sleep(WARM_UP);
    const { conversationId } = firstMessage();
    const ports = { ...testEnv.erasePorts(queues), realtime: live.ports.realtime };
    const request = () => ({ tenant, conversationId, author: { actor: "cli" }, now: testEnv.now(), time: testEnv });
    const { isDead, wrap } = dyingProcess(seed % 2 === 0 ? seed : Number.POSITIVE_INFINITY);
    await eraseConversation(wrap(ports), request(), () => true).catch(unlessCrash);
    if (isDead()) {
      // The client repeats a request that failed.
      await time.sleep(SECOND);
      await eraseConversation(ports, request(), () => true);
    }
    removedAt = time.now();
  };
  live.start(erase());
  await time.run();
  time.close();
  table.setLag(() => 0);
  if (live.failures.length > 0) throw live.failures[0];

  const { conversationId } = firstMessage();
  const messages = live.messages.filter(({ person }) => person === ERASED_PERSON);
  const texts = [conversationId, ...rowIds, ...CONTENTS, ...messages.flatMap(({ id }) => [id, `text of ${id}`])];
  const names = texts.map((text) => JSON.stringify(text));
  const about = live.frames.filter(({ frame }) => names.some((name) => JSON.stringify(frame).includes(name)));
  const isErased = ({ frame }: LiveFrame) => frame.data.conversation?.erased === true;
  for (const connectionId of await Promise.all(connecting)) {
    const label = `seed ${seed}, ${connectionId}`;
    const frames = about.filter((sent) => sent.connectionId === connectionId);
    const erasedAt = frames.findIndex(isErased);
    expect(erasedAt, label).toBeGreaterThan(0);
    const isLate = (sent: LiveFrame, index: number) => index > erasedAt || sent.at > removedAt + SENT_WITHIN;
    const late = frames.filter((sent, index) => isLate(sent, index) && !isErased(sent));
    expect(late, `${label}, erased at ${removedAt}`).toEqual([]);
  }
  return about.map(({ frame }) => frame.type);
}

it("no frame of an erased conversation follows the one that says so, or comes two seconds after its last row", async () => {
  const types = new Set<string>();
  for (let seed = 0; seed < SEEDS; seed++) for (const type of await runErasure(seed)) types.add(type);
  expect([...types].sort()).toEqual([
    "conversation.updated",
    "hold.updated",
    "message.edited",
    "message.received",
    "upload.updated",
  ]);
}, 300_000);
