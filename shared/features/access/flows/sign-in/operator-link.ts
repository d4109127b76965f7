import { SIGN_IN_LINK_LIFETIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { addressHashes } from "../../rules/address-hash.ts";
import { type Author, auditEntry } from "../../rules/callers.ts";
import { CONSOLE_PATH } from "../../rules/redirect-paths.ts";
import { createSignInLink } from "./create-link.ts";
import type { OperatorLinkPorts } from "./ports.ts";

/** A link that an operator gives to a person, in place of a mail. */
export interface OperatorLink {
  /** Its secret. */
  readonly token: string;
  readonly expiresAt: Millis;
  /** The tenants that the person belongs to or is invited to. */
  readonly tenants: readonly TenantId[];
}

/**
 * Creates a sign-in link for a member, an invited person or an owner whom the operator named. Before that each tenant
 * of the person and each that invited them gets an entry in its audit log, so that no link exists without one. A run
 * that dies in between leaves entries without a link, and the next run adds its own.
 * @param address in its normal form
 * @returns null for a stranger, of whom nothing is stored
 */
export async function createOperatorLink(
  ports: OperatorLinkPorts,
  { address, author, now }: { readonly address: string; readonly author: Author; readonly now: Millis },
): Promise<OperatorLink | null> {
  const resources = await tenantsOf(ports, address, now);
  if (resources.size === 0) return null;
  for (const [tenant, resource] of resources) {
    await ports.audit.add(tenant, auditEntry(author, { action: "session.create_link", resource, detail: {}, at: now }));
  }
  const { token } = await createSignInLink(ports, { address, redirect: CONSOLE_PATH, now });
  return { token, expiresAt: now + SIGN_IN_LINK_LIFETIME, tenants: [...resources.keys()] };
}

/** Each tenant of the person with what the entry is about: the user as a member, else the invite. */
async function tenantsOf(
  { users, invites, addressKeys }: OperatorLinkPorts,
  address: string,
  now: Millis,
): Promise<ReadonlyMap<TenantId, string>> {
  const hashes = addressHashes(await addressKeys(), address);
  const userId = await users.getIdByAddress(hashes);
  const session = userId && (await users.readSession(userId));
  const invited = await invites.pendingFor(hashes, now);
  return new Map([
    ...invited.map(({ tenant, inviteId }) => [tenant, `invite:${inviteId}`] as const),
    ...(session ? session.memberships : []).map(({ tenant }) => [tenant, `user:${userId}`] as const),
  ]);
}
