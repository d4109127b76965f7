import type { Millis } from "#base/kernel/time.ts";

/** Every action that writes a row to a tenant's audit log. */
export const auditActions = [
  "tenant.create",
  "tenant.update",
  "account.connect",
  "account.reconnect",
  "account.disconnect",
  "conversation.erase",
  "key.create",
  "key.revoke",
  "operator_key.create",
  "operator_key.revoke",
  "webhook.create",
  "webhook.update",
  "webhook.delete",
  "webhook.rotate",
  "webhook.test",
  "webhook.replay",
  "webhook.bulk_replay",
  "webhook.auto_pause",
  "hold.create",
  "hold.verify",
  "invite.create",
  "invite.revoke",
  "invite.accept",
  "invite.decline",
  "member.role_change",
  "member.remove",
  "session.create_link",
  "session.sign_in",
  "session.sign_out",
  "platform.deauthorize",
  "platform.data_deletion",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One entry of the audit log. Never contains message content, tokens or secrets. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** `<type>:<id>` */
  readonly resource: string;
  /** `console:<userId>`, `key:<keyId>`, `operator:<keyId>`, `cli`, `restore` or `system` */
  readonly actor: string;
  /** Null for the command line and for Parley itself. */
  readonly ip: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
  readonly at: Millis;
}

/** A filter of the audit log. Null means no filter on that field. */
export interface AuditFilter {
  readonly actions: readonly AuditAction[] | null;
  readonly actor: string | null;
  /** The first and the last instant of the entries. */
  readonly from: Millis | null;
  readonly to: Millis | null;
}

export const NO_AUDIT_FILTER: AuditFilter = { actions: null, actor: null, from: null, to: null };

/** Whether an entry has one of the actions and the actor. */
export function matchesAuditFilter(
  { actions, actor }: AuditFilter,
  entry: Pick<AuditEntry, "action" | "actor">,
): boolean {
  return (actions === null || actions.includes(entry.action)) && (actor === null || actor === entry.actor);
}

export function auditId(ulid: string): string {
  return `aud_${ulid}`;
}
