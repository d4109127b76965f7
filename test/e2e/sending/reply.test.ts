import { describe, expect, it } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSubscribedReceiver, personWrites, sentMessages } from "../support/api-calls.ts";
import type { ApiResponse, ListedConversation, ListedMessage } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import type { ReceivedDelivery } from "../support/webhook-receiver.ts";

const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

/** Sends a message from the platform's native app, a second after the person's. */
async function phoneWrites(connection: Connection, conversation: string, text: string): Promise<void> {
  const [, , , account, person] = conversation.split("#");
  const onPage = connection === "messenger";
  const timestamp = Date.parse((await readThread(conversation)).head.last_inbound_at ?? "") + 1_000;
  const message = { mid: `phone-${person}`, is_echo: true, text, ...(onPage ? { app_id: 26_390_203_743_090 } : {}) };
  const messaging = [{ sender: { id: account }, recipient: { id: person }, timestamp, message }];
  await stack.sim("POST", "/raw", {
    object: onPage ? "page" : "instagram",
    secret: connection === "instagram_login" ? "instagram" : "meta",
    entry: [{ id: account, time: timestamp, messaging }],
  });
}

const reply = (conversation_id: string, text: string, key?: string): Promise<ApiResponse> =>
  stack.api("POST", "/v1/messages/reply", { conversation_id, text }, key);

async function readThread(
  id: string,
  query = "",
): Promise<{ head: ListedConversation; messages: readonly ListedMessage[] }> {
  const { body } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}${query}`);
  return { head: body.data.conversation, messages: body.data.messages };
}

/** Waits until the simulator has delivered every echo and all queues are empty. */
async function waitForEchoes(): Promise<void> {
  await waitFor("the echoes are delivered", async () => {
    const { pending } = await stack.sim<{ pending: unknown[] }>("GET", "/state");
    return pending.length === 0;
  });
  await waitUntilIdle(stack);
}

const eventsFor = (mid: string): ReceivedDelivery[] =>
  receiver.deliveries.filter(({ event }) => event.data.message.id === mid);

describe.each(connections)("a reply on %s within the window", (connection) => {
  it.each(["none", "echo_first"])(
    "a reply within the window is sent once and is one outbound message after its echo (%s)",
    async (mode) => {
      const conversation = await personWrites(stack, connection, `Ada of ${connection} ${mode}`);
      await stack.sim("POST", "/faults", { mode });
      const text = `Grüße ❤️ ${connection} ${mode}`;
      const { status, body } = await reply(conversation, text);
      expect(status).toBe(200);
      const mid = body.data.platform_message_id;
      expect((await sentMessages(stack, text)).map((sent) => sent.mid)).toEqual([mid]);
      await waitForEchoes();

      const { head, messages } = await readThread(conversation);
      expect(messages.map(({ direction }) => direction)).toEqual(["outbound", "inbound"]);
      expect(messages[0]).toMatchObject({ id: mid, text, sent_via: "api_in_window" });
      expect(head).toMatchObject({ last_message_text: text, unanswered: false, can_reply: true });
      await waitFor("the event is delivered", () => eventsFor(mid).length > 0);
      const events = eventsFor(mid);
      expect(new Set(events.map(({ event }) => event.id)).size).toBe(1);
      expect(events[0]?.event).toMatchObject({
        type: "message.sent",
        data: { message: { text, direction: "outbound", sent_via: "api_in_window" } },
      });
      await stack.sim("POST", "/faults", { mode: "none" });
    },
  );

  it("a reply within the window whose response is lost is 502 outcome_unknown, is not sent again, and becomes one outbound message through its echo", async () => {
    const conversation = await personWrites(stack, connection, `Reset Rita of ${connection}`);
    await stack.sim("POST", "/faults", { mode: "reset_after_accept", for: 1 });
    // The platform may trim the text.
    const text = `cut off on ${connection} `;
    const { status, body } = await reply(conversation, text);
    expect([status, body.error.code, body.error.detail]).toEqual([502, "send_failed", "outcome_unknown"]);
    await waitForEchoes();
    const sent = await sentMessages(stack, text);
    expect(sent).toHaveLength(1);
    const { head, messages } = await readThread(conversation);
    const mid = sent[0]?.mid ?? "";
    expect(messages.map(({ id, direction }) => [id, direction])).toEqual([
      [mid, "outbound"],
      [expect.any(String), "inbound"],
    ]);
    expect(messages[0]).toMatchObject({ sent_via: "api_in_window" });
    expect(head).toMatchObject({ unanswered: false, can_reply: true });
    await waitFor("the event is delivered", () => eventsFor(mid).length > 0);
    expect(eventsFor(mid)[0]?.event).toMatchObject({
      type: "message.sent",
      data: { message: { direction: "outbound", sent_via: "api_in_window" } },
    });
  });

  it("a reply within the window with another text from the native app at the same time does not claim that message", async () => {
    const conversation = await personWrites(stack, connection, `Phoning Pia of ${connection}`);
    await stack.sim("POST", "/faults", { mode: "5xx", for: 1 });
    const { status, body } = await reply(conversation, "never arrived");
    expect([status, body.error.detail]).toEqual([502, "outcome_unknown"]);
    await phoneWrites(connection, conversation, "from the phone");
    await waitForEchoes();
    const { head, messages } = await readThread(conversation);
    expect(messages.map(({ text, direction, sent_via }) => [text, direction, sent_via])).toEqual([
      ["from the phone", "echo", "native_app"],
      [expect.any(String), "inbound", "participant"],
    ]);
    expect(head).toMatchObject({ last_message_text: "from the phone", unanswered: false });
  });
});

it("a reply that the platform refuses is 502 send_failed with the platform's reason, and leaves no message", async () => {
  const conversation = await personWrites(stack, "messenger", "Blocking Bo");
  await stack.sim("POST", "/people", { account: "100000000000001", person: "Blocking Bo", blocked: true });
  const { status, body } = await reply(conversation, "are you there?");
  expect([status, body.error.code]).toEqual([502, "send_failed"]);
  expect(body.error.detail).toMatch(/\S/);
  expect(body.error.detail).not.toBe("outcome_unknown");
  expect(await sentMessages(stack, "are you there?")).toEqual([]);
  expect((await readThread(conversation)).messages).toHaveLength(1);
});

it("a reply that the platform refuses because it is too long is 400 and is not sent", async () => {
  const conversation = await personWrites(stack, "instagram_login", "Long Lea");
  const before = (await sentMessages(stack)).length;
  const { status, body } = await reply(conversation, "x".repeat(1_001));
  expect([status, body.error.code, body.error.detail]).toEqual([400, "invalid_request", "text_too_long"]);
  expect(await sentMessages(stack)).toHaveLength(before);
  expect((await reply(conversation, "x".repeat(1_000))).status).toBe(200);
});

it("a reply that the platform refuses or never answers is 502 outcome_unknown within the deadline and is not sent again", async () => {
  const conversation = await personWrites(stack, "instagram_page", "Silent Sam");
  await stack.sim("POST", "/faults", { mode: "hang", for: 1 });
  const { status, body } = await reply(conversation, "hello?");
  expect([status, body.error.code, body.error.detail]).toEqual([502, "send_failed", "outcome_unknown"]);
  await waitForEchoes();
  expect(await sentMessages(stack, "hello?")).toEqual([]);
  expect((await readThread(conversation)).messages).toHaveLength(1);
});

it("a reply with a test key reaches no one, does not change the conversation head, and is listed only with include_test", async () => {
  const conversation = await personWrites(stack, "messenger", "Testing Tom");
  const before = await readThread(conversation);
  const inbox = (await stack.api("GET", "/v1/conversations")).text;
  const { status, body } = await reply(conversation, "only a test", stack.info.test_key);
  expect(status).toBe(200);
  const mid = body.data.platform_message_id;
  expect(mid).toMatch(/^mock_mid_/);
  expect(await sentMessages(stack, "only a test")).toEqual([]);

  expect(await readThread(conversation)).toEqual(before);
  expect((await stack.api("GET", "/v1/conversations")).text).toBe(inbox);
  const withTest = await readThread(conversation, "?include_test=true");
  expect(withTest.head).toEqual(before.head);
  expect(withTest.messages.map(({ id }) => id)).toContain(mid);
  const all = (await stack.api("GET", "/v1/messages?include_test=true")).body.data.messages;
  expect(all.filter(({ id }) => id === mid)).toHaveLength(1);
  expect((await stack.api("GET", "/v1/messages")).text).not.toContain(mid);
  expect((await stack.api("GET", `/v1/messages/${mid}`)).status).toBe(404);
  expect((await stack.api("GET", `/v1/messages/${mid}?include_test=true`)).status).toBe(200);

  await waitFor("the test event is delivered", () => eventsFor(mid).length > 0);
  expect(eventsFor(mid).map(({ event }) => event.data.message.test)).toEqual([true]);
  const live = receiver.deliveries.filter(({ event }) => event.data.message.id !== mid);
  expect(live.some(({ event }) => "test" in event.data.message)).toBe(false);
});

// Last, because it advances the clock.
it("the window allows a reply until just before 24 hours have passed, then refuses with window_closed", async () => {
  const conversation = await personWrites(stack, "messenger", "Waiting Wu");
  await stack.clock("PT23H59M");
  expect((await readThread(conversation)).head).toMatchObject({ can_reply: true, window: { state: "open_24h" } });
  expect((await reply(conversation, "just in time")).status).toBe(200);
  await stack.clock("PT1M");
  const { status, body } = await reply(conversation, "too late");
  expect([status, body.error.code]).toEqual([409, "window_closed"]);
  expect(await sentMessages(stack, "too late")).toEqual([]);
  expect((await readThread(conversation)).head).toMatchObject({
    can_reply: false,
    window: { state: "human_agent_7d" },
  });
  const mock = await reply(conversation, "too late", stack.info.test_key);
  expect([mock.status, mock.body.error.code]).toEqual([409, "window_closed"]);
});

it("the window opens again with a new message, and the conversation expires 7 days after its last message", async () => {
  const conversation = await personWrites(stack, "messenger", "Waiting Wu");
  expect((await readThread(conversation)).head).toMatchObject({ can_reply: true });
  expect((await reply(conversation, "welcome back")).status).toBe(200);
  await waitForEchoes();
  await stack.clock("P7D");
  const gone = await stack.api("GET", `/v1/conversations/${encodeURIComponent(conversation)}`);
  expect([gone.status, gone.body.error.code]).toEqual([404, "conversation_not_found"]);
  expect((await stack.api("GET", "/v1/messages")).body.data.messages).toEqual([]);
});
