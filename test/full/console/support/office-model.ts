import type { AuditEntry, Data, Invite, Member } from "#client";
import { type Answer, type Call, HOUR } from "./small-world.ts";

type Key = Data<"GET /v1/keys">["keys"][number];

const ok = (data: unknown, status = 200): Answer => ({ status, data });
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();
const PAGE = 5;
/** A key of the model; nothing but the dialog may show it. */
export const KEY_SECRET = "svc_live_model0123456789abcdefghijklmnopqrstuvwxyzABCD";

/** Keys, members, invites and the audit log in memory. */
export class OfficeModel {
  readonly keys: Key[] = [];
  readonly members: Member[] = [];
  readonly invites: Invite[] = [];
  readonly audit: AuditEntry[] = [];

  addKey(id: string, label: string, more: Partial<Key> = {}): void {
    const key = { id, prefix: `svc_live_${id}`, scope: "live", strict: false, label } as const;
    this.keys.push({ ...key, status: "active", created_at: ago(2_000), last_used_at: ago(1), ...more });
  }

  addMember(user_id: string, name: string | null, role: Member["role"]): void {
    const email = `${user_id}@example.com`;
    this.members.push({ tenant: "acme", user_id, email, name, role, created_at: ago(900), invited_by: null });
  }

  addInvite(id: string, email: string, more: Partial<Invite> = {}): void {
    this.invites.push({
      id,
      tenant: "acme",
      email,
      role: "agent",
      status: "pending",
      invited_by: "console:usr_me",
      created_at: ago(24),
      expires_at: ago(-144),
      accepted_at: null,
      ...more,
    });
  }

  /** Adds an entry that is older than those before. */
  addEntry(action: AuditEntry["action"], actor: string, detail: AuditEntry["detail"] = {}): void {
    const number = this.audit.length + 1;
    const entry = { id: `aud_${number}`, action, resource: `thing:${number}`, actor, ip: "203.0.113.7", detail };
    this.audit.push({ ...entry, at: ago(number) });
  }

  /** The answer of a call about these; null for another call. */
  answer({ operation, id, query, body }: Call): Answer | null {
    switch (operation) {
      case "GET /v1/keys":
        return ok({ keys: this.keys });
      case "POST /v1/keys":
        this.addKey("new", String(body.label), {
          scope: body.scope as Key["scope"],
          strict: body.strict === true,
          last_used_at: null,
        });
        return ok({ ...this.keys.at(-1), secret: KEY_SECRET }, 201);
      case "DELETE /v1/keys/{id}":
        for (const key of this.keys) if (key.id === id) key.status = "revoked";
        return ok({ revoked: true });
      case "GET /console/team":
        return this.members.length === 0 ? null : ok({ members: this.members });
      case "PATCH /console/team/{user_id}":
        return this.#changeRole(id, body.role as Member["role"]);
      case "DELETE /console/team/{user_id}":
        this.members.splice(
          this.members.findIndex(({ user_id }) => user_id === id),
          1,
        );
        return ok({ removed: true });
      case "GET /console/invites":
        return ok({ invites: this.invites });
      case "POST /console/invites":
        return this.#invite(String(body.email), body.role as Invite["role"]);
      case "POST /console/invites/{id}/resend":
        return ok({ invite: this.#endInvite(id, "pending") });
      case "DELETE /console/invites/{id}":
        this.#endInvite(id, "revoked");
        return ok({ revoked: true });
      case "GET /v1/audit":
        return ok(this.#list(query));
      default:
        return null;
    }
  }

  #changeRole(id: string, role: Member["role"]): Answer {
    const member = this.members.find(({ user_id }) => user_id === id);
    const owners = this.members.filter((each) => each.role === "owner");
    if (!member) return { status: 404, code: "member_not_found" };
    if (owners.length === 1 && owners[0] === member && role !== "owner") return { status: 409, code: "last_owner" };
    member.role = role;
    return ok({ member });
  }

  #invite(email: string, role: Invite["role"]): Answer {
    const exists = this.invites.some((invite) => invite.email === email && invite.status === "pending");
    if (exists) return { status: 409, code: "invite_exists" };
    this.addInvite(`inv_${this.invites.length + 1}`, email, { role });
    return ok({ invite: this.invites.at(-1) }, 201);
  }

  #endInvite(id: string, status: Invite["status"]): Invite | undefined {
    const invite = this.invites.find((each) => each.id === id);
    if (invite) invite.status = status;
    return invite;
  }

  #list(query: URLSearchParams): Data<"GET /v1/audit"> {
    const [action, actor] = [query.get("action"), query.get("actor")];
    const all = this.audit.filter(
      (entry) => (action === null || entry.action === action) && (actor === null || entry.actor === actor),
    );
    const start = Number(query.get("cursor") ?? 0);
    const end = start + PAGE;
    return { audit: all.slice(start, end), next_cursor: end < all.length ? String(end) : null };
  }
}
