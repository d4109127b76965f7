import type { Conversations } from "./inbox.ts";
import type { Scenario } from "./scenario.ts";

/** Replies within the window. */
export async function recordReplies(
  { example, live }: Scenario,
  { messenger, instagram }: Conversations,
): Promise<void> {
  const path = "/v1/messages/reply";
  const headers = { ...live, "idempotency-key": "order-1042-reply-1" };
  const text = { conversation_id: messenger, text: "Yes, two are left. Shall we put one aside for you?" };
  await example("sendReply", "A text", { path, headers, body: text });
  await example("sendReply", "The same request again", { path, headers, body: text });
  const attachments = [{ type: "image", url: "https://cdn.example.com/bowl.jpg" }];
  await example("sendReply", "An image", { path, headers: live, body: { conversation_id: instagram, attachments } });
  await example("sendReply", null, { path, headers: live, body: { conversation_id: messenger, text: "" } });
  await example("sendReply", null, { path, headers: live, body: { conversation_id: "unknown", text: "Hello" } });
}
