import { describe, expect, it } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSubscribedReceiver, personWrites, simulatedAccount } from "../support/api-calls.ts";
import type { ListedConversation } from "../support/api-response.ts";
import { failureLines } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

interface ConversationWithProfile extends ListedConversation {
  readonly participant_handle: string | null;
  readonly participant_username: string | null;
  readonly participant_picture: string | null;
  readonly participant_profile: string;
}

const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

const editPerson = (connection: Connection, person: string, changes: object) =>
  stack.sim("POST", "/people", { ...simulatedAccount(stack, connection), person, ...changes });

async function readConversation(id: string): Promise<ConversationWithProfile> {
  const { body } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}`);
  return body.data.conversation as ConversationWithProfile;
}

async function listedConversation(id: string): Promise<ConversationWithProfile> {
  const { body } = await stack.api("GET", "/v1/conversations");
  return body.data.conversations.find((one) => one.id === id) as ConversationWithProfile;
}

describe.each(connections)("the profile of a person on %s", (connection) => {
  const [handle, username] = connection === "messenger" ? ["Zoë Ek", null] : [`zoe.ek`, `zoe.ek`];

  it("the profile of a person is complete after the first message, with a reachable picture, also in the list", async () => {
    const id = await personWrites(stack, connection, "Zoë Ek");
    const conversation = await readConversation(id);
    expect(conversation).toMatchObject({
      participant_profile: "complete",
      participant_handle: handle,
      participant_username: username,
    });
    expect((await fetch(conversation.participant_picture ?? "")).status).toBe(200);
    expect(await listedConversation(id)).toEqual(conversation);
  });

  it("the profile of a person is part of the event of the next message", async () => {
    const id = await personWrites(stack, connection, "Zoë Ek", `again on ${connection}`);
    const event = receiver.deliveries.find(({ event }) => event.data.message.text === `again on ${connection}`);
    const participant_id = id.split("#").at(-1);
    expect(event?.event.data.message).toMatchObject({ participant: { id: participant_id, handle, username } });
  });

  it("the profile of a person is unavailable when the platform refuses, and messages still arrive", async () => {
    await editPerson(connection, "Private Pat", { profile: false });
    const id = await personWrites(stack, connection, "Private Pat");
    expect(await readConversation(id)).toMatchObject({
      participant_profile: "unavailable",
      participant_handle: null,
      participant_username: null,
      participant_picture: null,
      last_message_text: "hello",
    });
  });

  it("the profile of a person is partial when the platform has no name", async () => {
    await editPerson(connection, "Nameless Nel", { nameless: true });
    const { participant_picture, ...rest } = await readConversation(
      await personWrites(stack, connection, "Nameless Nel"),
    );
    expect(rest).toMatchObject({
      participant_profile: "partial",
      participant_handle: null,
      participant_username: null,
    });
    expect(participant_picture).toMatch(/^http/);
  });
});

it("a failing platform is asked for the profile again within seconds, without another message", async () => {
  await stack.sim("POST", "/faults", { mode: "5xx", on: "calls", for: 1 });
  const id = await personWrites(stack, "messenger", "Later Lou");
  await waitFor("the profile is stored", async () => (await readConversation(id)).participant_profile === "complete", {
    seconds: 20,
  });
  expect(await readConversation(id)).toMatchObject({ participant_handle: "Later Lou" });
});

// Last, because it advances the clock.
describe("a day later", () => {
  it("the profile is fetched again with the next message and not before, also after a refusal", async () => {
    const conversationId = await personWrites(stack, "messenger", "Changing Chi");
    await editPerson("messenger", "Refused Ro", { profile: false });
    const refused = await personWrites(stack, "messenger", "Refused Ro");
    await editPerson("messenger", "Changing Chi", { name: "Changed Chi" });
    await editPerson("messenger", "Refused Ro", { profile: true });
    await stack.clock("PT23H");
    await personWrites(stack, "messenger", conversationId.split("#").at(-1) ?? "");
    await personWrites(stack, "messenger", "Refused Ro");
    expect((await readConversation(conversationId)).participant_handle).toBe("Changing Chi");
    expect((await readConversation(refused)).participant_profile).toBe("unavailable");
    await stack.clock("PT1H");
    await personWrites(stack, "messenger", conversationId.split("#").at(-1) ?? "");
    await personWrites(stack, "messenger", "Refused Ro");
    expect((await readConversation(conversationId)).participant_handle).toBe("Changed Chi");
    expect(await readConversation(refused)).toMatchObject({
      participant_profile: "complete",
      participant_handle: "Refused Ro",
    });
  });

  it.each(connections)(
    "a day later and a half, the picture on %s has expired and is not returned",
    async (connection) => {
      const id = await personWrites(stack, connection, "Framed Fay");
      const picture = (await readConversation(id)).participant_picture ?? "";
      await stack.clock("PT35H");
      expect((await readConversation(id)).participant_picture).toBe(picture);
      expect((await fetch(picture)).status).toBe(200);
      await stack.clock("PT1H1M");
      expect((await fetch(picture)).status).toBe(403);
      const ended = await readConversation(id);
      expect(ended).toMatchObject({ participant_profile: "complete", participant_picture: null });
      expect(ended.participant_handle).not.toBeNull();
      expect((await listedConversation(id)).participant_picture).toBeNull();
      await personWrites(stack, connection, "Framed Fay");
      expect((await readConversation(id)).participant_picture).toMatch(/^http/);
    },
  );

  it("nothing failed, and no name is logged", () => {
    expect(failureLines(stack.log())).toEqual([]);
    expect(stack.log()).toContain('"event":"profile.fetched"');
    expect(stack.log()).not.toMatch(/zo[eë].?ek|chi"|picture|\/media\//i);
  });
});
