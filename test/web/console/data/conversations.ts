import type { Conversation } from "../../../../web/console/data/types.ts";

/** A conversation as the API shows it. Times are epoch milliseconds. */
export function conversation(
  id: string,
  times: { readonly inbound: number | null; readonly outbound?: number | null; readonly done?: number | null },
  more: Partial<Conversation> = {},
): Conversation {
  const { inbound, outbound = null, done = null } = times;
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const unanswered = inbound !== null && inbound > (outbound ?? 0);
  const isDone = unanswered && done !== null && done >= inbound;
  return {
    id,
    tenant_id: "acme",
    account_key: "instagram#178414",
    account_handle: "acme",
    platform: "instagram",
    participant_id: id,
    participant_handle: null,
    participant_username: null,
    participant_name: `Person ${id}`,
    participant_picture: null,
    participant_profile: "complete",
    last_inbound_at: iso(inbound),
    last_outbound_at: iso(outbound),
    last_message_at: new Date(Math.max(inbound ?? 0, outbound ?? 0)).toISOString(),
    last_message_text: "Hello",
    last_message: { direction: unanswered ? "inbound" : "outbound", kind: "text" },
    window: { state: "open_24h", expires_at: null },
    unanswered,
    waiting_since: unanswered ? iso(inbound) : null,
    done_at: isDone ? iso(done) : null,
    needs_reply: unanswered && !isDone,
    can_reply: true,
    can_send_as_human_agent: false,
    ...more,
  };
}
