import { newUlid } from "#base/kernel/ids.ts";
import { linkAccount, type NewLink } from "#features/accounts/flows/connect.ts";
import type { LinkPorts } from "#features/accounts/ports.ts";

type Defaults = Pick<NewLink, "tokenExpiresAt" | "authorizedBy" | "connectionId">;

/** Connects an account of a fixture, with a token that does not expire. Fails unless it is connected. */
export async function linkTestAccount(
  ports: LinkPorts,
  link: Omit<NewLink, keyof Defaults> & Partial<Defaults>,
): Promise<void> {
  const defaults = { tokenExpiresAt: null, authorizedBy: [], connectionId: newUlid(link.now) };
  const result = await linkAccount(ports, { ...defaults, ...link });
  if (result.kind !== "connected") throw new Error(`The account is not connected: ${result.kind}`);
}
