import type { Millis } from "../../kernel/time.ts";

/** Everything that leaves a row in a tenant's audit trail. */
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
  "member.role_change",
  "member.remove",
  "session.sign_in",
  "session.sign_out",
  "platform.deauthorize",
  "platform.data_deletion",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who did what to which thing, from where. Never content, tokens or secrets. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** `<type>:<id>` */
  readonly resource: string;
  /** `console:<userId>`, `key:<keyId>`, `operator:<keyId>`, `cli` or `system` */
  readonly actor: string;
  /** Null where no gateway stood between: the command line, and Parley itself. */
  readonly ip: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
  readonly at: Millis;
}

/** The public id of an entry. */
export function auditId(ulid: string): string {
  return `aud_${ulid}`;
}
