import { beforeEach, describe, expect, it } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import type { SendOutcome } from "#platforms/graph/platform.ts";
import { allRows, drainErasures, tenantCaller } from "../../../support/flows/data-subject.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";
import { sampled } from "../../../support/sampling.ts";

// A sending or settling process freezes, and thaws when its conversation is erased and every pass of the erasure is over.

let fixture: ReplyFixture;
const testEnv = openedOnce(openTestEnv);
beforeEach(() => {
  testEnv.advance(MINUTE);
});

const outcomes: Record<string, SendOutcome> = {
  "is accepted": { kind: "accepted", messageId: "m-sent" },
  "is refused": refusedWith({}),
  "has no known outcome": { kind: "unknown", detail: "outcome_unknown" },
};

async function openConversation(outcome: SendOutcome): Promise<void> {
  fixture = await openReplyFixture(testEnv);
  fixture.setPlatformResponse(outcome);
}

async function eraseCompletely(): Promise<void> {
  testEnv.advance(SECOND);
  await fixture.eraseConversation();
  await drainErasures(testEnv, fixture.queues);
}

async function writeAgain(): Promise<void> {
  testEnv.advance(SECOND);
  await fixture.take({ messageId: `${fixture.tenant}-again` });
}

async function settleDue(): Promise<void> {
  testEnv.advance(2 * MINUTE);
  await fixture.sweepSends();
}

/** The keys of the rows with the reply's text, and of the conversation's rows that `belongs` selects. */
async function leftKeys(belongs: (sortKey: string) => boolean): Promise<string[]> {
  const rows = await allRows(testEnv);
  return rows
    .filter(({ PK }) => PK.includes(fixture.tenant))
    .filter((row) => JSON.stringify(row).includes("canary") || (row.PK === fixture.id && belongs(row.SK)))
    .map(({ PK, SK }) => `${PK} ${SK}`);
}

/** All rows but the used limits, which a process that is frozen before its record writes with it. */
const anyRow = (sortKey: string) => !sortKey.startsWith("B#");
const sendRecord = (sortKey: string) => sortKey.startsWith("J#");

describe.each(sampled(Object.entries(outcomes), { step: 2 }))(
  "a reply that %s, whose process is frozen at any call",
  (_name, outcome) => {
    const runAtEach = (whileFrozen: () => Promise<void>, belongs: (sortKey: string) => boolean) =>
      forEachFreezePoint(async (point) => {
        await openConversation(outcome);
        const run = await runFrozen(fixture.ports(), point, {
          work: (ports) => fixture.sendReply({ text: "canary" }, "live", ports),
          whileFrozen,
        });
        await settleDue();
        if (run.reached) expect.soft([point, await leftKeys(belongs)]).toEqual([point, []]);
        return run;
      });

    it("a frozen reply leaves nothing after the erasure", async () => {
      expect(await runAtEach(eraseCompletely, anyRow)).toBeGreaterThanOrEqual(9);
    });

    it("a frozen reply leaves nothing of itself in the conversation that starts after the erasure", async () => {
      const eraseAndWriteAgain = async () => {
        await eraseCompletely();
        await writeAgain();
      };
      expect(await runAtEach(eraseAndWriteAgain, sendRecord)).toBeGreaterThanOrEqual(9);
    });
  },
);

it("a sweep that is frozen at any call while it abandons a send leaves nothing after the erasure", async () => {
  const calls = await forEachFreezePoint(async (point) => {
    await openConversation({ kind: "unknown", detail: "outcome_unknown" });
    await fixture.sendReply({ text: "canary" });
    testEnv.advance(2 * MINUTE);
    const run = await runFrozen(testEnv.apiPorts(fixture.queues), point, {
      work: (ports) => settleDueSends(ports, testEnv.now()),
      whileFrozen: eraseCompletely,
    });
    await settleDue();
    if (run.reached) expect.soft([point, await leftKeys(anyRow)]).toEqual([point, []]);
    return run;
  });
  expect(calls).toBeGreaterThanOrEqual(7);
});

// The clock of a sending process is ahead: the send looks newer than the erasure that removed its echo.

const messageId = "m-clock-ahead";

/** Sends a reply whose platform answers after these steps. */
async function replyAhead(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  fixture = await openReplyFixture(testEnv);
  fixture.setPlatformResponse(async () => {
    for (const step of steps) await step();
    return { kind: "accepted", messageId };
  });
  const content = { conversationId: fixture.id, text: "canary", replyTo: null };
  const time = startRequestTime(() => testEnv.now() + 2 * SECOND);
  const answer = await sendReply(fixture.ports(), { caller: tenantCaller(fixture.tenant), reply: content, time });
  expect(answer).toEqual({ messageId });
}

const echo = () => fixture.echo(messageId, "canary");
const drain = () => drainErasures(testEnv, fixture.queues);
const erase = () => {
  testEnv.advance(SECOND);
  return fixture.eraseConversation();
};

const canaryRows = async () =>
  (await allRows(testEnv)).filter((row) => row.PK.includes(fixture.tenant) && JSON.stringify(row).includes("canary"));
const sentEvents = async () => (await fixture.messageEvents()).filter(({ type }) => type === "message.sent");

it.each([
  ["is not over", [echo, erase]],
  ["is over", [echo, erase, drain]],
  ["is not over and the person writes again", [echo, erase, writeAgain]],
  ["is over and the person writes again", [echo, erase, drain, writeAgain]],
] as const)(
  "a reply whose echo an erasure removed stays removed, with one event, when the erasure %s",
  async (_, steps) => {
    await replyAhead(steps);
    expect(await sentEvents()).toHaveLength(1);
    await drain();
    expect(await canaryRows()).toEqual([]);
  },
);

it("a reply that has no echo is newer than the erasure, and is stored with its event", async () => {
  await replyAhead([erase, drain, writeAgain]);
  expect(await sentEvents()).toHaveLength(1);
  expect(await canaryRows()).toMatchObject([{ SK: expect.stringMatching(/^M#/) }]);
});
