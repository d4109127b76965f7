import { expect, it } from "vitest";
import * as full from "zod";
import * as z from "zod/mini";
import { type EventType, eventTypes, type RenderedEvent } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { renderAccountEvent } from "#features/accounts/events.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { renderMessageEvent, renderMessageFailed } from "#features/inbox/events/message.ts";
import { renderMessageDeleted } from "#features/inbox/events/message-deleted.ts";
import { renderMessageEdited } from "#features/inbox/events/message-edited.ts";
import { renderMessageReaction } from "#features/inbox/events/message-reaction.ts";
import { attachmentTypes, type Message } from "#features/inbox/rules/messages.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { renderTestEvent } from "#features/webhooks/events/test-event.ts";
import { renderWebhookPaused } from "#features/webhooks/events/webhook-paused.ts";
import { listEventTypes } from "#features/webhooks/routes.ts";
import {
  ACCOUNT,
  NOW,
  PERSON,
  sampleConversationId,
  sampleMessage,
  toTenantId,
} from "../../../support/stores/samples.ts";

interface PublishedSchema {
  readonly type: EventType;
  readonly description: string;
  readonly schema: Record<string, unknown>;
  readonly example: Record<string, unknown>;
}
const publishedSchemas = async () =>
  ((await listEventTypes.handle({ ports: {} } as never)) as { event_types: PublishedSchema[] }).event_types;
const tenant = toTenantId("demo");

/** The body is of its type's schema, and has no field that the schema does not name. */
function expectMatchesSchema({ type, body }: Pick<RenderedEvent, "type" | "body">): void {
  const event: unknown = JSON.parse(body);
  expect(z.parse(eventSchema(type), event), body).toEqual(event);
}

it("every type is listed in published order with its own description", async () => {
  const types = await publishedSchemas();
  expect(types.map(({ type }) => type)).toEqual([...eventTypes]);
  expect(new Set(types.map(({ description }) => description)).size).toBe(eventTypes.length);
});

it.each(eventTypes)("the example of %s matches its published JSON Schema and no other type's", async (type) => {
  const one = (await publishedSchemas()).find((each) => each.type === type);
  const { schema = {}, example = {} } = one ?? {};
  expect(schema).toMatchObject({ type: "object", properties: { type: { const: type } } });
  expect((schema as { required: string[] }).required).toEqual([
    "id",
    "type",
    "api_version",
    "created_at",
    "tenant_id",
    "data",
  ]);
  const reader = full.fromJSONSchema(schema as Parameters<typeof full.fromJSONSchema>[0]);
  expect(reader.safeParse(example).error).toBeUndefined();
  for (const name of Object.keys(example)) {
    const { [name]: _, ...less } = example;
    expect(reader.safeParse(less).success, `without ${name}`).toBe(false);
  }
  expect(reader.safeParse({ ...example, later: 1 }).success, "with a field that is new").toBe(true);
  expect(reader.safeParse({ ...example, type: "another.type" }).success).toBe(false);
  expectMatchesSchema({ type, body: JSON.stringify(example) });
});

it.each(["message.sent", "message.failed"])(
  "the example of %s is a message that the API sends: text or attachments, no context, an actor only beside the tag",
  async (type) => {
    const example = (await publishedSchemas()).find((each) => each.type === type)?.example;
    const { message } = (example as { data: { message: Record<string, unknown> } }).data;
    const { story, quick_reply, postback, referral, actor_id } = message;
    expect({ story, quick_reply, postback, referral, actor_id }).toEqual({
      ...{ story: null, quick_reply: null, postback: null, referral: null },
      actor_id: message.sent_via === "api_human_agent" ? expect.any(String) : null,
    });
    expect(message.text === "").toBe((message.attachments as object[]).length > 0);
  },
);

it("rendered events match the published schema for messages of every kind", () => {
  const sample = (rest: object) => renderMessageEvent(tenant, sampleMessage(tenant, { id: "m1", ...rest }));
  for (const event of [
    sample({}),
    sample({ direction: "outbound", actorId: "u", replyTo: "m0", scope: "test", text: "" }),
    sample({ direction: "echo", sentVia: "other_app", holdId: `hold_${newUlid(NOW)}` }),
    sample({ participant: { id: PERSON, handle: "Ada", username: "ada", name: "Ada L." } }),
    sample({
      context: {
        repliedStory: { id: "1", url: null },
        quickReply: { payload: "" },
        postback: { payload: null },
        referral: { ref: null, source: "ADS", type: null, adId: null },
      },
      attachments: [{ type: "location", url: null, title: "Here", coordinates: { lat: 1.5, long: -2 } }],
      unsentAt: NOW,
      edit: { text: "new", count: 1, at: NOW },
      lastReactions: [{ by: "account", at: NOW, content: { reaction: null, emoji: "👍" } }],
    }),
    sample({
      attachments: attachmentTypes.map((type, i) => ({ type, url: i % 2 ? null : "https://cdn.example/x" })),
    }),
  ]) {
    expectMatchesSchema(event);
  }
});

it("rendered events match the published schema for changes of a message", () => {
  const ref = { id: "m1", conversationId: sampleConversationId(tenant), account: ACCOUNT };
  const ulid = newUlid(NOW);
  for (const event of [
    renderMessageDeleted(tenant, ulid, ref, { at: 0, by: "account" }),
    renderMessageEdited(tenant, ulid, ref, { text: "", editCount: 5, at: 0, by: "participant" }),
    renderMessageReaction(tenant, ulid, ref, {
      action: "react",
      reaction: "love",
      emoji: "❤️",
      at: 0,
      by: "participant",
    }),
    renderMessageReaction(tenant, ulid, ref, {
      action: "unreact",
      reaction: null,
      emoji: null,
      at: 0,
      by: "account",
    }),
  ]) {
    expectMatchesSchema(event);
  }
});

it("rendered events match the published schema for sends that failed or have an unknown outcome", () => {
  for (const detail of ["outcome_unknown", "(#100) No matching user found"]) {
    for (const rest of [
      { text: "hi", actorId: "u", replyTo: "m0" },
      { attachments: [{ type: "image", url: null }], scope: "test" },
      { holdId: `hold_${newUlid(NOW)}`, sentVia: "api_human_agent" },
    ] satisfies Partial<Message>[]) {
      const message = sampleMessage(tenant, { id: "", direction: "outbound", ...rest });
      expectMatchesSchema(renderMessageFailed(tenant, message, detail));
    }
  }
});

it("rendered events match the published schema for accounts", () => {
  const account: Account = {
    ...ACCOUNT,
    connectionId: "",
    connection: "instagram_login",
    handle: "shop",
    displayName: "Shop",
    pageId: null,
    status: "needs_reauth",
    statusDetail: "x",
    retryAt: null,
    refreshError: "x",
    lastRefreshedAt: NOW,
    tokenExpiresAt: null,
    authorizedBy: [],
    humanAgentBlockedAt: null,
    replaced: [],
    resubscriptions: null,
    restore: null,
    socketsUntil: null,
    sealedToken: new Uint8Array(),
  };
  for (const reason of ["user", "platform_deauthorized", "token_invalid", "policy"] as const) {
    expectMatchesSchema(
      renderAccountEvent(tenant, { eventUlid: newUlid(NOW), type: "account.needs_reauth", account, reason }),
    );
  }
});

it("rendered events match the published schema for webhook endpoints", () => {
  for (const reason of ["gone", "failing"] as const)
    expectMatchesSchema(renderWebhookPaused(tenant, newUlid(NOW), { endpointId: newUlid(NOW), reason }));
  expectMatchesSchema(renderTestEvent(tenant, newUlid(NOW), { endpointId: newUlid(NOW), requestedBy: "cli" }));
});
