import { expect, it } from "vitest";
import { isWellFormed } from "../../../../web/console/data/frame-shape.ts";
import type { StreamEvent } from "../../../../web/console/data/types.ts";
import { event, message } from "../composer/support.ts";
import { conversation } from "./conversations.ts";

const whole = {
  "conversation.updated": { conversation: conversation("c", { inbound: 1 }) },
  "message.received": { message: message("m1") },
  "message.sent": { message: message("m1") },
  "message.edited": { message: { id: "m1", conversation_id: "c", text: "x", edited_at: "2026-11-20T10:00:00Z" } },
  "message.deleted": { message: { id: "m1", conversation_id: "c", deleted_at: "2026-11-20T10:00:00Z" } },
  "message.reaction": { message: { id: "m1", conversation_id: "c" }, reaction: { action: "react", at: "x" } },
  "hold.updated": { hold: { id: "h", status: "sent" } },
  "upload.updated": { upload: { id: "u", status: "ready" } },
  "presence.updated": { conversation_id: "c", user_id: "usr_1", state: "reading" },
} as const;

it.each(Object.entries(whole))("a frame of type %s is well formed, and none without one of its parts", (type, data) => {
  expect(isWellFormed(event(type, data))).toBe(true);
  for (const broken of [null, {}, [], "text", { conversation: null, message: 1, hold: "h", upload: [] }])
    expect(isWellFormed(event(type, broken as object))).toBe(false);
  expect(isWellFormed({ ...event(type, data), created_at: "yesterday" } as StreamEvent)).toBe(false);
  expect(isWellFormed({ ...event(type, data), created_at: undefined } as never)).toBe(false);
});

it.each(["participant_name", "participant_id", "last_message", "last_message_at", "last_inbound_at"])(
  "a conversation without %s, or with another type of it, is not well formed",
  (name) => {
    for (const value of [undefined, {}, 5]) {
      const broken = { ...whole["conversation.updated"].conversation, [name]: value };
      expect(isWellFormed(event("conversation.updated", { conversation: broken }))).toBe(false);
    }
  },
);

it.each(["attachments", "reactions", "text", "sent_at"])("a message without a proper %s is not well formed", (name) => {
  for (const value of [undefined, null, [null]]) {
    const broken = { ...message("m1"), [name]: value };
    expect(isWellFormed(event("message.received", { message: broken }))).toBe(false);
  }
});

it("an erased conversation needs its id alone, and a type that is not known needs nothing", () => {
  expect(isWellFormed(event("conversation.updated", { conversation: { id: "c", erased: true } }))).toBe(true);
  expect(isWellFormed(event("conversation.updated", { conversation: { erased: true } }))).toBe(false);
  expect(isWellFormed(event("weather.changed", { rain: true }))).toBe(true);
});
