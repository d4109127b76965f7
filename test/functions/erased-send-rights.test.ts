import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { injectFaults } from "../support/faults.ts";
import { drainErasures, runErasure } from "../support/flows/data-subject.ts";
import { openHoldFixture } from "../support/flows/hold-fixture.ts";
import { openReplyFixture } from "../support/flows/reply-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { runFrozen } from "../support/processes/frozen-process.ts";
import { writableByAction, writesOf } from "./support/written-keys.ts";

// A process that finishes a send undoes what it stored in a conversation that was erased beside it. No stack erases at that
// moment, so that its grants are compared here.

const testEnv = openedOnce(openTestEnv);

/** Before its outcome is stored, where the record is gone then; and after its message is. */
const freezePoints = [
  { call: "sendRecords.settleSend", when: "before" },
  { call: "outboundMessages.record", when: "after" },
] as const;

interface Run<Ports> {
  readonly ports: Ports;
  readonly work: (ports: Ports) => Promise<unknown>;
  /** Erases the conversation, by other processes. */
  readonly erase: () => Promise<unknown>;
}

/** The writes of new processes, each of which is frozen at another point while the conversation is erased. */
async function writesOverErasure<Ports extends object>(open: () => Promise<Run<Ports>>): Promise<string[]> {
  const writes = new Set<string>();
  let isOfProcess = false;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    if (isOfProcess) for (const write of writesOf(command, input)) writes.add(write);
    return "pass";
  });
  for (const point of freezePoints) {
    const { ports, work, erase } = await open();
    isOfProcess = true;
    const whileFrozen = async () => {
      isOfProcess = false;
      testEnv.advance(SECOND);
      await erase();
      isOfProcess = true;
    };
    expect(await runFrozen(ports, point, { work, whileFrozen })).toMatchObject({ reached: true });
    isOfProcess = false;
  }
  end();
  return [...writes];
}

function expectWritable(name: "Verify" | "Sweep", writes: readonly string[]): void {
  const allowed = writableByAction(name);
  expect(writes).toEqual(expect.arrayContaining(["Put ER#", "Delete CONV#"]));
  expect(writes.filter((write) => !allowed.includes(write))).toEqual([]);
}

it("the Verify role allows the writes of a held message whose conversation is erased while it is sent", async () => {
  const writes = await writesOverErasure(async () => {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold();
    return {
      ports: fixture.checkPagePorts(),
      work: (ports) => fixture.complete(hold, ports),
      erase: async () => {
        await runErasure(testEnv, fixture.queues, fixture);
        await drainErasures(testEnv, fixture.queues);
      },
    };
  });
  expectWritable("Verify", writes);
});

it("the Sweep role allows the writes of a send whose conversation is erased while it is settled", async () => {
  const writes = await writesOverErasure(async () => {
    const fixture = await openReplyFixture(testEnv);
    await fixture.sendAndDie("sendRecords.settleSend");
    testEnv.advance(2 * MINUTE);
    return {
      ports: testEnv.apiPorts(fixture.queues),
      work: (ports) => settleDueSends(ports, testEnv.now()),
      erase: async () => {
        await fixture.eraseConversation();
        await drainErasures(testEnv, fixture.queues);
      },
    };
  });
  expectWritable("Sweep", writes);
});
