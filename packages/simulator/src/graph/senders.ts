import type { Context, NodeCall } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import type { Account } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";

/** The accounts that a token may send for through the node in the path. Throws the Graph error if there is none. */
export function sendersFor({ world }: Context, { host, node, token }: NodeCall): Account[] {
  if (host === "instagram") {
    const account = world.account(`instagram_login:${token.subject}`);
    if (account === undefined) throw refuse.unreadableToken();
    if (![account.externalId, account.appScopedId, "me"].includes(node)) throw refuse.unknownNode("POST", node);
    return [account];
  }
  if (token.kind !== "page") throw refuse.unknownNode("POST", node);
  const accounts = world.accountsOfPage(token.subject);
  if (node === "me" || node === token.subject) return accounts;
  if (accounts.some((account) => isInstagram(account) && account.externalId === node)) throw refuse.noCapability();
  throw refuse.unknownNode("POST", node);
}
