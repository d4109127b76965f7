import type { Millis } from "../../../kernel/time.ts";
import { listAuthorizedAccounts, queueDisconnection } from "./authorized-accounts.ts";
import type { DeauthorizePorts } from "./ports.ts";

/** Lets every account go that a login connects, after its person removed the app on the platform. Safe to repeat. */
export async function deauthorize(
  ports: DeauthorizePorts,
  { platformUserId, now }: { readonly platformUserId: string; readonly now: Millis },
): Promise<void> {
  const accounts = await listAuthorizedAccounts(ports, platformUserId);
  for (const account of accounts) await queueDisconnection(ports, account, now);
}
