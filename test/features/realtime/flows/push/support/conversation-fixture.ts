import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { TestEnv } from "../../../../../support/flows/test-env.ts";
import { auditOf } from "../../../../access/store/support/team-samples.ts";
import { openPushFixture, type PushFixture } from "./push-fixture.ts";

export type ConversationFixture = PushFixture & { readonly conversationId: string };

/** A tenant with a socket that has its first frame, and with a conversation. */
export async function openConversationFixture(testEnv: TestEnv): Promise<ConversationFixture> {
  const fixture = await openPushFixture(testEnv);
  await fixture.open({ age: SECOND });
  const { message } = await fixture.recordMessage("first");
  return { ...fixture, conversationId: message.conversationId };
}

/** A held message of the conversation, which ends after ten minutes. */
export async function createHold(
  testEnv: TestEnv,
  { stores, conversationId }: Pick<ConversationFixture, "stores" | "conversationId">,
) {
  const now = testEnv.now();
  const id = `hold_${newUlid(now)}`;
  const hold = {
    id,
    conversationId,
    scope: "live",
    content: { kind: "text", text: "held text" },
    replyTo: null,
    actorId: "ada",
    actorName: null,
    secretHash: "hash",
    createdAt: now,
    expiresAt: now + 10 * MINUTE,
  } as const;
  const audit = auditOf("hold.create", now);
  await stores.holds.create(hold, now, audit);
  return hold;
}

/** An upload of the conversation whose file did not arrive. @returns its id */
export async function createUpload(
  testEnv: TestEnv,
  { stores, conversationId }: Pick<ConversationFixture, "stores" | "conversationId">,
): Promise<string> {
  const id = `upl_${newUlid(testEnv.now())}`;
  const file = { filename: "a.png", contentType: "image/png", size: 3, type: "image" } as const;
  await stores.uploads.create({ id, conversationId, scope: "live", ...file }, testEnv.now());
  return id;
}
