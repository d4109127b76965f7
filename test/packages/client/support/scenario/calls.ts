import type { CallOptions, Parley } from "#client";

/** A call whose retries the client guidance of the API fixes. */
export interface GuidedCall {
  readonly path: string;
  readonly isRetried: "like a read" | "after 429" | "never";
  readonly run: (parley: Parley, options?: CallOptions) => Promise<unknown>;
}

const reply = { conversation_id: "c", text: "Grüße" };
const file = { conversation_id: "c", filename: "offer.pdf", content_type: "application/pdf", size: 1 };

export const guidedCalls: readonly GuidedCall[] = [
  {
    path: "/v1/conversations/c",
    isRetried: "like a read",
    run: (parley, options) => parley.conversations.get("c", {}, options),
  },
  {
    path: "/v1/webhooks/w/test",
    isRetried: "after 429",
    run: (parley, options) => parley.webhooks.test("w", {}, options),
  },
  {
    path: "/v1/webhooks/w/deliveries/replay",
    isRetried: "after 429",
    run: (parley, options) => parley.deliveries.replayAll("w", { from: "a", to: "b" }, options),
  },
  {
    path: "/v1/webhooks/w/deliveries/d/replay",
    isRetried: "after 429",
    run: (parley, options) => parley.deliveries.replay("w", "d", {}, options),
  },
  {
    path: "/v1/messages/reply",
    isRetried: "never",
    run: (parley, options) => parley.messages.reply(reply, options),
  },
  {
    path: "/v1/messages/human-agent",
    isRetried: "never",
    run: (parley, options) => parley.messages.sendAsHumanAgent({ ...reply, actor_id: "amy" }, options),
  },
  {
    path: "/v1/attachments",
    isRetried: "never",
    run: (parley, options) => parley.attachments.finishUpload("upl_1", options),
  },
  {
    path: "/v1/attachments/uploads",
    isRetried: "never",
    run: (parley, options) => parley.attachments.createUpload(file, options),
  },
  {
    path: "/v1/webhooks/changed",
    isRetried: "never",
    run: (parley, options) => parley.webhooks.update("changed", {}, {}, options),
  },
  {
    path: "/v1/webhooks/deleted",
    isRetried: "never",
    run: (parley, options) => parley.webhooks.delete("deleted", {}, options),
  },
];
