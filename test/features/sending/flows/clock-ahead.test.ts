import { expect, it } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { SECOND } from "#base/kernel/time.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { allRows, drainErasures, tenantCaller } from "../../../support/flows/data-subject.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";

// The clock of a sending process is ahead: the send looks newer than the erasure that removed its echo.

const { testEnv, fixture } = replyFixtures();

const messageId = "m-clock-ahead";

/** Sends a reply whose platform answers after these steps. */
async function reply(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
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
const writeAgain = () => fixture.take({ messageId: `${fixture.tenant}-again` });
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
    await reply(steps);
    expect(await sentEvents()).toHaveLength(1);
    await drain();
    expect(await canaryRows()).toEqual([]);
  },
);

it("a reply that has no echo is newer than the erasure, and is stored with its event", async () => {
  await reply([erase, drain, writeAgain]);
  expect(await sentEvents()).toHaveLength(1);
  expect(await canaryRows()).toMatchObject([{ SK: expect.stringMatching(/^M#/) }]);
});
