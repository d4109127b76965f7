import { randomToken, sha256Hex } from "#base/kernel/bytes.ts";
import { REALTIME_TICKET_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import type { TicketPorts } from "../ports.ts";
import type { Grant } from "../rules/sockets.ts";

const PREFIX = "wst_";
const TICKET_BYTES = 32;

export interface CreatedTicket {
  /** `wst_` and 32 random bytes in base64url. Only its hash is stored. */
  readonly ticket: string;
  readonly expiresAt: Millis;
  /** The URL that the ticket opens as `?ticket=`. */
  readonly url: string;
}

/** Creates a ticket that opens one socket of the tenant within a minute. `role_forbidden`: the person is no longer a member. */
export async function createTicket(
  ports: TicketPorts,
  { caller, tenant, now }: { readonly caller: Caller; readonly tenant: TenantId; readonly now: Millis },
): Promise<CreatedTicket | Refusal<"role_forbidden">> {
  const grant = await grantOf(ports, caller, tenant);
  if (isRefusal(grant)) return grant;
  const ticket = `${PREFIX}${randomToken(TICKET_BYTES).toString("base64url")}`;
  const expiresAt = now + REALTIME_TICKET_LIFETIME;
  await ports.realtimeTickets.create(sha256Hex(ticket), { tenant, grant, expiresAt });
  return { ticket, expiresAt, url: ports.realtimeUrl };
}

/** The id under which a ticket is stored: its hash. Null when the text has not the form of a ticket. */
export function toTicketId(text: string): string | null {
  if (!text.startsWith(PREFIX)) return null;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64url");
  const isCanonical = bytes.byteLength === TICKET_BYTES && bytes.toString("base64url") === encoded;
  return isCanonical ? sha256Hex(text) : null;
}

async function grantOf(
  { memberships }: TicketPorts,
  caller: Caller,
  tenant: TenantId,
): Promise<Grant | Refusal<"role_forbidden">> {
  if (caller.kind !== "session") return { kind: caller.kind, keyId: caller.keyId };
  const member = await memberships.get(tenant, caller.userId);
  if (!member) return refuse("role_forbidden");
  return { kind: "session", userId: caller.userId, epoch: caller.epoch, memberSince: member.createdAt };
}
