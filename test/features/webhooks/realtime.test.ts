import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { parseTenant } from "#base/kernel/tenant.ts";
import { HOUR } from "#base/kernel/time.ts";
import { holdError } from "#features/holds/rules/holds.ts";
import { messageReceived, messageSent } from "#features/inbox/events/message.ts";
import { type ConversationHead, conversationId } from "#features/inbox/rules/messages.ts";
import {
  conversationErasedFrame,
  conversationUpdatedFrame,
  helloFrame,
  holdUpdatedFrame,
  messageWithConversationFrame,
  pongFrame,
  streamFrameSchemas,
  uploadUpdatedFrame,
} from "#features/realtime/events.ts";
import { frameChecker } from "../../support/conformance/check-frame.ts";
import { readServedDocument } from "../../support/conformance/document.ts";
import { withUndeclaredFields } from "../../support/conformance/undeclared-fields.ts";

const tenant = parseTenant("demo") ?? expect.unreachable("demo is a tenant");
const now = Date.UTC(2026, 10, 23);
const ulid = newUlid(now);
const ref = { tenant, account: { platform: "messenger", externalId: "1" }, participantId: "2" } as const;
const head: ConversationHead = {
  id: conversationId(ref),
  ref,
  accountHandle: "shop",
  participantHandle: null,
  participantUsername: null,
  participantName: "Ada",
  participantPicture: null,
  participantProfile: "complete",
  participantProfileAt: now,
  lastInboundAt: now - HOUR,
  lastOutboundAt: null,
  lastAt: now - HOUR,
  lastDirection: "inbound",
  lastMessageText: "Hello",
  lastMessageKind: "text",
  waitingSince: null,
  doneAt: null,
  undoneAt: null,
};
const hold = { id: `hold_${ulid}`, conversationId: head.id, createdAt: now, expiresAt: now + HOUR };
const upload = {
  id: `upl_${ulid}`,
  conversationId: head.id,
  filename: "a.png",
  contentType: "image/png",
  size: 3,
  type: "image",
} as const;
const error = holdError("internal_error");
const checkFrame = frameChecker(readServedDocument());

it.each([
  ["hello", helloFrame({ connectionId: "c1=", now, expiresAt: now + 2 * HOUR })],
  ["pong", pongFrame()],
  ["conversation.updated", conversationUpdatedFrame(tenant, { ulid, head, now })],
  ["conversation.updated", conversationErasedFrame(tenant, { ulid, conversationId: head.id })],
  ["hold.updated", holdUpdatedFrame(tenant, { ulid, hold, state: { status: "awaiting_verification" } })],
  ["hold.updated", holdUpdatedFrame(tenant, { ulid, hold, state: { status: "sent", platformMessageId: "m_1" } })],
  ["hold.updated", holdUpdatedFrame(tenant, { ulid, hold, state: { status: "failed", error } })],
  ["upload.updated", uploadUpdatedFrame(tenant, { ulid, upload, state: { status: "waiting" } })],
  [
    "upload.updated",
    uploadUpdatedFrame(tenant, { ulid, upload, state: { status: "ready", copyKey: "h/1", attachmentId: "9" } }),
  ],
  ["message.received", messageWithConversationFrame(messageReceived.example(), { head, now })],
  ["message.sent", messageWithConversationFrame(messageSent.example(), { head, now })],
] as const)("a frame %s is as the document says, which permits no other field", (type, text) => {
  const frame = JSON.parse(text);
  expect(streamFrameSchemas[type]().parse(frame)).toEqual(frame);
  expect(frame.type).toBe(type);
  expect(checkFrame("server", text)).toEqual([]);
  for (const { place, value } of withUndeclaredFields(frame))
    expect(checkFrame("server", JSON.stringify(value)), place).not.toEqual([]);
  expect(text).not.toContain("h/1");
});

it("a frame of a change is an envelope with the id and time of its ULID", () => {
  expect(JSON.parse(conversationErasedFrame(tenant, { ulid, conversationId: head.id }))).toEqual({
    id: `evt_${ulid}`,
    type: "conversation.updated",
    api_version: "1.0.0",
    created_at: new Date(now).toISOString(),
    tenant_id: "demo",
    data: { conversation: { id: head.id, erased: true } },
  });
});
