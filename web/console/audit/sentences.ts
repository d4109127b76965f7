import type { AuditEntry } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";

export type Action = AuditEntry["action"];
type Detail = AuditEntry["detail"];

const word = (value: Detail[string] | undefined): string => printableText(String(value ?? "")).slice(0, 120);
const number = new Intl.NumberFormat();
const count = (value: Detail[string] | undefined, one: string, many: string): string =>
  `${number.format(Number(value ?? 0))} ${Number(value ?? 0) === 1 ? one : many}`;

const fields: Readonly<Record<string, string>> = { url: "address", events: "events", status: "status" };
const fieldWords = (value: Detail[string] | undefined): string =>
  word(value)
    .split(",")
    .map((field) => (Object.hasOwn(fields, field) ? fields[field] : field))
    .join(" and ");

/** What was done, after the name of who did it. */
const sentences: Readonly<Record<Action, string | ((detail: Detail) => string)>> = {
  "tenant.create": "created the workspace",
  "tenant.update": ({ status, changed }) =>
    status === undefined ? `changed the ${word(changed)} of the workspace` : `made the workspace ${word(status)}`,
  "account.connect": "connected an account",
  "account.reconnect": "connected an account again",
  "account.disconnect": "disconnected an account",
  "conversation.erase": ({ messages }) =>
    messages === undefined
      ? "erased a conversation"
      : `erased a conversation, ${count(messages, "message", "messages")}`,
  "key.create": ({ scope }) => `created a ${word(scope)} key`,
  "key.revoke": ({ scope }) => `revoked a ${word(scope)} key`,
  "operator_key.create": "created an operator key",
  "operator_key.revoke": "revoked an operator key",
  "webhook.create": ({ events }) => `added an endpoint for ${count(events, "event type", "event types")}`,
  "webhook.update": ({ fields: changed, status }) => {
    if (status === "paused") return "paused an endpoint";
    return status === "active" ? "resumed an endpoint" : `changed the ${fieldWords(changed)} of an endpoint`;
  },
  "webhook.delete": "deleted an endpoint",
  "webhook.rotate": "rotated the secret of an endpoint",
  "webhook.test": "sent a test event",
  "webhook.replay": "sent a delivery again",
  "webhook.bulk_replay": ({ enqueued }) =>
    enqueued === undefined ? "sent deliveries again" : `sent ${count(enqueued, "delivery", "deliveries")} again`,
  "webhook.auto_pause": ({ reason }) =>
    reason === "gone" ? "paused an endpoint that is gone" : "paused an endpoint that failed for five days",
  "hold.create": "held a message to check it",
  "hold.verify": "passed the check of a held message",
  "invite.create": ({ role, resent }) => `${resent === true ? "sent the invite again of" : "invited"} ${article(role)}`,
  "invite.revoke": ({ role }) => `revoked the invite of ${article(role)}`,
  "invite.accept": ({ role }) => `accepted an invite as ${word(role)}`,
  "invite.decline": ({ role }) => `declined an invite as ${word(role)}`,
  "member.role_change": ({ role, previous_role }) =>
    previous_role === undefined
      ? `made a member ${word(role)}`
      : `made a member ${word(role)}, who was ${word(previous_role)}`,
  "member.remove": "removed a member, or left",
  "session.create_link": "created a sign-in link",
  "session.sign_in": "signed in",
  "session.sign_out": "signed out",
  "platform.deauthorize": "lost an account, whose owner took away the access",
  "platform.data_deletion": "got a request of the platform to delete data",
};

function article(role: Detail[string] | undefined): string {
  return `${role === "agent" ? "an agent" : role === "admin" ? "an admin" : role === "owner" ? "an owner" : "someone"}`;
}

/** Every action, in the order in which a filter offers them. */
export const actions = Object.keys(sentences) as readonly Action[];

/** What an entry says was done. An action that this version does not know is named as it is. */
export function sentenceOf({ action, detail }: Pick<AuditEntry, "action" | "detail">): string {
  const sentence = Object.hasOwn(sentences, action) ? sentences[action] : printableText(action);
  return typeof sentence === "string" ? sentence : sentence(detail);
}

/** An action as a filter names it, without what it was about. */
export function actionName(action: Action): string {
  const [kind = "", verb = ""] = action.split(".");
  return `${kind.replaceAll("_", " ")}: ${verb.replaceAll("_", " ")}`;
}
