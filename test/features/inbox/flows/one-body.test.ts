import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { applyAccountPolicy } from "#features/inbox/flows/apply-account-policy.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { publishSendFailed, type SendAttempt } from "#features/sending/flows/settle.ts";
import { newConversation } from "../../../support/flows/new-conversation.ts";
import {
  editEvent,
  ingestEvents,
  type PlatformEvent,
  renderEventMessages,
  textEvent,
} from "../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { sampleMessage } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let account: string;
let conversation: string;
let at: number;
const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeEach(async () => {
  ({ tenant, account, conversation } = await newConversation(testEnv));
  at = testEnv.now() - MINUTE;
});

const ingest = async (...platformEvents: PlatformEvent[]) =>
  (await ingestEvents(testEnv.ingestPorts(queues), account, platformEvents, testEnv.now())).events;
const render = (eventMessages: readonly { body: string }[]) => renderEventMessages(testEnv, tenant, eventMessages);

it("an event has the same body whenever it is sent: a received message, after it was edited", async () => {
  const received = await ingest(textEvent("m1", "first", at));
  const before = await render(received);
  await ingest(editEvent("m1", "second", 1, at + 1));
  expect(await render(received)).toEqual(before);
  expect(before[0]?.body).toContain('"first"');
});

it("an event has the same body whenever it is sent: an edit, after the platform repeated it with another text", async () => {
  const edited = await ingest(textEvent("m1", "first", at), editEvent("m1", "second", 1, at + 1));
  const before = await render(edited.slice(1));
  const repeated = await ingest(editEvent("m1", "third", 1, at + 1));
  expect(await render(repeated)).toEqual(before);
  expect(before[0]?.body).toContain('"second"');
});

it("an event has the same body whenever it is sent: a failed send, after its person's name changed", async () => {
  await ingest(textEvent("m1", "first", at));
  const bodies: { body: string }[] = [];
  const ports = {
    eventBodies: testEnv.apiPorts(queues).eventBodies,
    events: {
      ...testEnv.ingestPorts(queues).events,
      send: async ({ body }: { body: string }) => void bodies.push({ body }),
    },
  };
  const sendId = newUlid(at);
  const publish = async () => {
    const head = await conversationStore(testEnv.table).get(tenant, conversation, testEnv.now());
    if (!head) throw new Error("The conversation has no head.");
    const send = {
      id: sendId,
      content: "",
      via: "api_in_window",
      actorId: null,
      holdId: null,
      replyTo: null,
    } as const;
    const content = { kind: "text", text: "hi" } as const;
    const attempt: SendAttempt = {
      tenant,
      head,
      send: { ...send, scope: "live" },
      content,
      startedAt: at,
      shards: 1,
    };
    await publishSendFailed(ports, attempt, "outcome_unknown", { repeated: true });
    return render(bodies.splice(0));
  };
  const before = await publish();
  const profile = { state: "complete", handle: "New Name", username: "new", name: null, picture: null } as const;
  await profileStore(testEnv.table).save(conversation, profile, testEnv.now());
  expect(await publish()).toEqual(before);
});

it("an event has the same body whenever it is sent: an account event, when two workers publish it at once and the account changes between them", async () => {
  const ref = { platform: "instagram", externalId: account } as const;
  const ports = testEnv.ingestPorts(queues);
  const resolved = { tenant, handle: "@shop", shards: 1, lastErasureAt: null };
  const update = { kind: "policy", account: ref, action: "block", reason: null, at } as const;
  const effects = newEffects();
  const context = { account: resolved, effects, now: testEnv.now() };
  const { save } = ports.eventBodies;
  let isFirst = true;
  const eventBodies: typeof ports.eventBodies = {
    ...ports.eventBodies,
    save: async (...args) => {
      if (isFirst) {
        isFirst = false;
        await applyAccountPolicy({ ...ports, eventBodies }, update, context);
        const [event] = await render(effects.events);
        const other = { ...args[1], body: event?.body?.replace("@shop", "@other") ?? "" };
        return save(args[0], other);
      }
      return save(...args);
    },
  };
  await applyAccountPolicy({ ...ports, eventBodies }, update, context);
  const [event] = await render(effects.events);
  expect(event?.body).toContain("@shop");
});

// docs/guides/delivery.md names this exception.
it("the event of a send that its echo did not match has a second body after the platform's response", async () => {
  const sent = testEnv.now() - SECOND;
  await ingest(textEvent("m1", "first", at));
  const echo = await ingest(textEvent("sent", "as the platform changed it", sent, { fromAccount: true }));
  const [before] = await render(echo);
  const message = { id: "sent", conversationId: conversation, sentAt: sent, direction: "outbound" } as const;
  const messages = outboundMessageStore(testEnv.table);
  await messages.record(tenant, sampleMessage(tenant, { ...message, sentVia: "api_in_window" }), testEnv.now());
  const [after] = await render(echo);
  expect(after?.ulid).toBe(before?.ulid);
  expect([before?.body, after?.body].map((body) => JSON.parse(body ?? "{}").data.message.direction)).toEqual([
    "echo",
    "outbound",
  ]);
});
