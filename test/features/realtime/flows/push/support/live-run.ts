import { MINUTE } from "#base/kernel/time.ts";
import { Crash } from "../../../../../support/faults.ts";
import { openTestEnv, type TestEnv } from "../../../../../support/flows/test-env.ts";
import { interceptCalls } from "../../../../../support/processes/port-calls.ts";
import { virtualTime } from "../../../../../support/virtual-time.ts";
import { openWorldTable, type WorldTable } from "../../../../../support/world/world-table.ts";
import { openStreamFixture, type StreamFixture } from "../../support/stream-fixture.ts";
import { openLiveStream } from "./live-stream.ts";

/** A generator of numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A table whose reads may be behind, and the stream's fixture on it. */
export async function openLiveEnv() {
  let table: WorldTable | undefined;
  const testEnv = await openTestEnv({
    startTable: (now) => {
      table = openWorldTable(now);
      return table;
    },
  });
  if (!table) throw new Error("The environment did not start its table.");
  return { table, testEnv, stream: openStreamFixture(testEnv) };
}

/** A tenant with an owner and an account, and the workers of its stream in virtual time. */
export async function openLiveRun(testEnv: TestEnv, stream: StreamFixture, seed: number) {
  const random = randomOf(seed);
  testEnv.advance(MINUTE);
  const tenant = await stream.team.newTenant();
  const owner = await stream.newMember(tenant, "owner");
  const account = { platform: "instagram", externalId: await testEnv.connect(tenant) } as const;
  const queues = await testEnv.newQueues();
  const time = virtualTime(testEnv, testEnv.clients);
  const live = openLiveStream(testEnv, stream, { time, random, queues });
  return { random, tenant, owner, account, queues, time, live };
}

/** Ports of a process that dies at a call of them, by its index from 0. */
export function dyingProcess(dyingCall: number) {
  let calls = 0;
  let isDead = false;
  const onCall = async (_name: string, call: () => Promise<unknown>) => {
    isDead ||= calls++ >= dyingCall;
    if (isDead) throw new Crash("The process died.");
    return call();
  };
  return { isDead: () => isDead, wrap: <P extends object>(ports: P): P => interceptCalls(ports, onCall) };
}

export function unlessCrash(error: unknown): void {
  if (!(error instanceof Crash)) throw error;
}
