import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { LoginPage } from "#platforms/messenger/facebook-login.ts";
import { accountKey } from "../../rules/accounts.ts";
import { loginFailed, loginNotSet } from "./login-failures.ts";
import type { PagePorts } from "./ports.ts";

/** A person who chooses. */
interface Chooser {
  readonly tenant: TenantId;
  readonly userId: string;
  readonly now: Millis;
}

interface OfferedAccount {
  readonly accountKey: string;
  /** To this tenant. */
  readonly isConnected: boolean;
}

/** A page that a person may connect. */
export interface OfferedPage {
  readonly pageId: string;
  readonly name: string;
  readonly messenger: OfferedAccount;
  /** The Instagram account that is linked to it. */
  readonly instagram: (OfferedAccount & { readonly username: string }) | null;
}

/** The pages among which a person chooses after a login, as the platform lists them now. */
export async function listOfferedPages(
  ports: PagePorts,
  chooser: Chooser,
): Promise<readonly OfferedPage[] | Refusal<"oauth_state_invalid" | "oauth_failed">> {
  const [offer, accounts] = await allDone([readOffer(ports, chooser), ports.accounts.list(chooser.tenant)]);
  if (isRefusal(offer)) return offer;
  const connectedKeys = new Set(accounts.map(accountKey));
  const offered = (key: string): OfferedAccount => ({ accountKey: key, isConnected: connectedKeys.has(key) });
  return offer.pages.map(({ pageId, name, instagram }) => ({
    pageId,
    name,
    messenger: offered(accountKey({ platform: "messenger", externalId: pageId })),
    instagram: instagram && {
      ...offered(accountKey({ platform: "instagram", externalId: instagram.externalId })),
      username: instagram.username,
    },
  }));
}

/** What the login of a person offers. */
interface Offer {
  readonly pages: readonly LoginPage[];
  /** The platform's ids of the person. */
  readonly authorizedBy: readonly string[];
}

/** Reads the pages of a login with its token. */
export async function readOffer(
  ports: Omit<PagePorts, "accounts">,
  { tenant, userId, now }: Chooser,
): Promise<Offer | Refusal<"oauth_state_invalid" | "oauth_failed">> {
  const choice = await ports.pageChoices.get(tenant, userId, now);
  if (!choice) return refuse("oauth_state_invalid");
  const facebook = await ports.logins.facebook();
  if (!facebook) return loginNotSet("parley:metaAppId", "meta");
  const token = await ports.vault.open(choice.sealedToken, { purpose: "login-choice", tenant, owner: userId });
  const result = await facebook.listPages(token);
  return result.kind === "listed" ? { pages: result.pages, authorizedBy: choice.authorizedBy } : loginFailed(result);
}
