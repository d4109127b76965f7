import { describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { RealtimeTask } from "#features/realtime/queue.ts";
import { Crash } from "../../../../support/faults.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { invokeWorker, runUntilEmpty } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { interceptCalls } from "../../../../support/processes/port-calls.ts";
import {
  type ConversationFixture,
  createHold,
  createUpload,
  openConversationFixture,
} from "./support/conversation-fixture.ts";

// A worker that pushes a conversation, a held message or an upload meets a fault at each of its calls.

const testEnv = openedOnce(openTestEnv);

/** A change, the task that pushes it, and what every socket must get. */
interface Scenario {
  readonly prepare: (fixture: ConversationFixture) => Promise<RealtimeTask>;
  /** What the frames show, in order: the last one when the timers of the push are over. */
  readonly shows: readonly string[];
  readonly isStored?: (fixture: ConversationFixture, task: RealtimeTask) => Promise<boolean>;
}

const ulid = () => newUlid(testEnv.now());

async function newProcessingUpload(fixture: ConversationFixture): Promise<string> {
  const uploadId = await createUpload(testEnv, fixture);
  await fixture.stores.uploads.startProcessing(uploadId, { copyKey: "h/1/r/a.png", size: 4, at: testEnv.now() });
  return uploadId;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a conversation": {
    prepare: async ({ conversationId }) => ({ kind: "conversation", conversationId, eventUlid: ulid() }),
    shows: ["text of first"],
  },
  "a held message, whose end by time a timer reports": {
    prepare: async (fixture) => {
      const { id: holdId } = await createHold(testEnv, fixture);
      return { kind: "hold", holdId, eventUlid: ulid() };
    },
    shows: ["awaiting_verification", "expired"],
  },
  "a held message whose end by time is stored first": {
    prepare: async (fixture) => {
      const { id: holdId } = await createHold(testEnv, fixture);
      testEnv.advance(10 * MINUTE + SECOND);
      return { kind: "hold", holdId, eventUlid: ulid(), timer: true };
    },
    shows: ["expired"],
    isStored: async ({ stores }, task) =>
      task.kind === "hold" && (await stores.holds.get(task.holdId))?.content === null,
  },
  "an upload, whose end by time a timer reports": {
    prepare: async (fixture) => ({ kind: "upload", uploadId: await newProcessingUpload(fixture), eventUlid: ulid() }),
    shows: ["processing", "failed"],
  },
  "an upload whose end by time is stored first": {
    prepare: async (fixture) => {
      const uploadId = await newProcessingUpload(fixture);
      testEnv.advance(5 * MINUTE + SECOND);
      return { kind: "upload", uploadId, eventUlid: ulid(), timer: true };
    },
    shows: ["failed"],
    isStored: async ({ stores }, task) =>
      task.kind === "upload" && (await stores.uploads.get(task.uploadId))?.state.status === "failed",
  },
};

/** Queues the task of a scenario, has a worker meet faults, and then runs the worker until nothing is queued. */
async function runScenario(
  { prepare, shows, isStored }: Scenario,
  runFaulty: (fixture: ConversationFixture, queueUrl: string) => Promise<unknown>,
  label: string,
): Promise<void> {
  const fixture = await openConversationFixture(testEnv);
  const second = await fixture.open();
  const queueUrl = fixture.queues.realtime;
  const task = await prepare(fixture);
  await fixture.send(task);
  await runFaulty(fixture, queueUrl);
  await runUntilEmpty(testEnv, queueUrl, fixture.run, { runsMax: 30 });
  const sockets = Map.groupBy(fixture.takeFrames(), ({ connectionId }) => connectionId);
  expect(sockets.size, label).toBe(2);
  expect(sockets.has(second.connectionId), label).toBe(true);
  for (const frames of sockets.values()) {
    // A repeated frame has the same id.
    const shown = new Map(frames.map(({ frame: { id, data } }) => [id, textOf(data)]));
    expect([...shown.values()], label).toEqual(shows);
  }
  if (isStored) expect(await isStored(fixture, task), label).toBe(true);
}

// biome-ignore lint/suspicious/noExplicitAny: the data of a frame is JSON of many forms.
function textOf({ conversation, hold, upload }: any): string {
  return conversation?.last_message_text ?? (hold ?? upload).status;
}

describe.each(Object.entries(scenarios))("%s", (_, scenario) => {
  it.each(faultPoints)("an update is pushed to every socket despite a fault (%s) at any call", async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const runFaulty = async ({ worker }: ConversationFixture, queueUrl: string) => {
        await strike.invoke(queueUrl, worker());
      };
      await runScenario(scenario, runFaulty, "a fault");
    });
  });

  it("an update is pushed to every socket by a worker that is killed before any call of its ports, also a post", async () => {
    for (let k = 0; ; k++) {
      let calls = 0;
      const kill = async (_name: string, call: () => Promise<unknown>) => {
        if (calls++ >= k) throw new Crash("The process died.");
        return call();
      };
      const runKilled = async ({ ports, queues, worker }: ConversationFixture) => {
        await invokeWorker(testEnv.eventSource, queues.realtime, worker(interceptCalls(ports, kill)));
      };
      await runScenario(scenario, runKilled, `killed at call ${k}`);
      if (calls <= k) return;
    }
  });
});
