import { describe, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { renderMessageEvent } from "#features/inbox/events/message.ts";
import { type Attachment, currentAttachments } from "#features/inbox/rules/messages.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import {
  acceptedOutcome,
  type ConversationFixture,
  openConversationFixture,
  type PendingReply,
  unknownOutcome,
} from "../../../support/flows/conversation-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

// The URLs of sent uploads, which only the echo of the platform names.

const testEnv = openedOnce(openTestEnv);

const uploads = [
  { type: "image", attachmentId: "1857777774821032" },
  { type: "image", attachmentId: "1857777774821033" },
] as const;
const image = (url: string | null): Attachment => ({ type: "image", url });
const echoed = [image("https://cdn.example/1"), image("https://cdn.example/2")];

const OUR_APP = "1234567890";
type PlatformName = "instagram" | "messenger";

const echoOf = (
  fixture: ConversationFixture,
  { platform, send, attachments = echoed }: { platform: PlatformName; send: PendingReply; attachments?: Attachment[] },
) =>
  fixture.echo(`${fixture.tenant}-out`, "", {
    attachments,
    ...(platform === "messenger" ? { echo: { appId: OUR_APP, metadata: send.metadata } } : {}),
  });

async function sentMessage(fixture: ConversationFixture) {
  const rows = (await fixture.messageRows()).filter(({ message }) => message.direction !== "inbound");
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`There are ${rows.length} sent messages.`);
  return row;
}

const shownAttachments = async (fixture: ConversationFixture) =>
  currentAttachments((await sentMessage(fixture)).message);

describe.each(["instagram", "messenger"] as const)("on %s", (platform) => {
  it.each([
    ["answer, echo"],
    ["echo, answer"],
    ["answer, echo, echo"],
    ["echo, answer, echo"],
    ["echo, echo, answer"],
    ["lost, echo"],
    ["echo, lost, echo"],
    ["dies, echo"],
    ["echo, dies, echo"],
  ])("a message of uploads shows the URLs of its echo: %s", async (steps) => {
    const fixture = await openConversationFixture(testEnv, platform);
    const send = await fixture.startReply(uploads);
    for (const step of steps.split(", ")) {
      testEnv.advance(SECOND);
      if (step === "answer") await send.answer(acceptedOutcome(`${fixture.tenant}-out`));
      if (step === "lost") await send.answer(unknownOutcome);
      if (step === "dies") await send.crash();
      if (step === "echo") await echoOf(fixture, { platform, send });
    }
    expect(await shownAttachments(fixture)).toEqual(echoed);
    expect((await sentMessage(fixture)).message).toMatchObject({ direction: "outbound", sentVia: "api_in_window" });
    const events = (await fixture.messageEvents()).filter(({ type }) => type === "message.sent");
    expect(new Set(events.map(({ eventUlid }) => eventUlid)).size).toBe(1);
  });

  it.each(faultPoints)(
    "a message of uploads shows the URLs of its echo, whose ingest crashes (%s) at any call and is repeated",
    async (faultPoint) => {
      const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
        const fixture = await openConversationFixture(testEnv, platform);
        const send = await fixture.startReply(uploads);
        await send.answer(acceptedOutcome(`${fixture.tenant}-out`));
        await strike.during(() => echoOf(fixture, { platform, send })).catch(() => {});
        await echoOf(fixture, { platform, send });
        expect(await shownAttachments(fixture)).toEqual(echoed);
      });
      // Route, tenant state, snapshot, marker, message, URLs, head, event.
      expect(calls).toBeGreaterThanOrEqual(8);
    },
  );
});

async function sentUploads(attachments: Parameters<ConversationFixture["startReply"]>[0] = uploads) {
  const fixture = await openConversationFixture(testEnv, "instagram");
  const send = await fixture.startReply(attachments);
  await send.answer(acceptedOutcome(`${fixture.tenant}-out`));
  return {
    fixture,
    echo: (echo?: Attachment[]) =>
      echoOf(fixture, { platform: "instagram", send, ...(echo ? { attachments: echo } : {}) }),
  };
}

it("an event of a sent upload has the same body before and after its echo", async () => {
  const { fixture, echo } = await sentUploads();
  const body = async () => renderMessageEvent(fixture.tenant, (await sentMessage(fixture)).message).body;
  const before = await body();
  await echo();
  expect(await shownAttachments(fixture)).toEqual(echoed);
  expect(await body()).toBe(before);
});

it.each([
  ["fewer attachments", echoed.slice(1)],
  ["more attachments", [...echoed, image("https://cdn.example/3")]],
  ["another type at one position", [echoed[0], { type: "video", url: "https://cdn.example/2" }]],
  ["no URLs", [image(null), image(null)]],
] as [string, Attachment[]][])("an echo changes nothing in a message of uploads if it has %s", async (_name, other) => {
  const { fixture, echo } = await sentUploads();
  const before = await sentMessage(fixture);
  await echo(other);
  expect(await sentMessage(fixture)).toEqual(before);
  await echo();
  expect(await shownAttachments(fixture)).toEqual(echoed);
});

it("an echo fills in only the URLs that the message has not", async () => {
  const { fixture, echo } = await sentUploads([{ type: "image", url: "https://files.example/own.png" }, uploads[1]]);
  await echo();
  expect(await shownAttachments(fixture)).toEqual([image("https://files.example/own.png"), echoed[1]]);
});

it("a second echo with other URLs does not replace those of the first", async () => {
  const { fixture, echo } = await sentUploads();
  await echo();
  await echo([image("https://cdn.example/8"), image("https://cdn.example/9")]);
  expect(await shownAttachments(fixture)).toEqual(echoed);
});

it("an echo after an unsend leaves the message empty, and an unsend after an echo removes the URLs", async () => {
  for (const order of ["unsend, echo", "echo, unsend, echo"]) {
    const { fixture, echo } = await sentUploads();
    const { position } = await sentMessage(fixture);
    const ref = { conversationId: fixture.id, position };
    for (const step of order.split(", ")) {
      if (step === "echo") await echo();
      else await messageChangeStore(testEnv.table).unsend(fixture.tenant, ref, { at: testEnv.now() });
    }
    const { message } = await sentMessage(fixture);
    expect(message).toMatchObject({ unsentAt: testEnv.now(), attachments: [] });
    expect(message.echoedUrls).toBeUndefined();
  }
});
