import { listAuthorizedAccounts, queueDisconnection } from "./authorized-accounts.ts";
import type { DeauthorizePorts, PlatformRequest } from "./ports.ts";

/**
 * Disconnects every account that a login connects, after its person removed the app on the platform. Safe to repeat.
 * @param request `issuedAt`: by the platform; the arrival if it does not say. What the login connected later stays
 */
export async function deauthorize(
  ports: DeauthorizePorts,
  { platformUserId, now, issuedAt = now }: PlatformRequest,
): Promise<void> {
  const accounts = await listAuthorizedAccounts(ports, platformUserId);
  for (const account of accounts) await queueDisconnection(ports, account, { now, issuedAt });
}
