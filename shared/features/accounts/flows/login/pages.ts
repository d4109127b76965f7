import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { toPicture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { LoginPage } from "#platforms/messenger/facebook-login.ts";
import { type AccountRef, accountKey } from "../../rules/accounts.ts";
import { loginFailed, loginNotSet } from "./login-failures.ts";
import type { PagePorts } from "./ports.ts";

/** A person who chooses. */
interface Chooser {
  readonly tenant: TenantId;
  readonly userId: string;
  readonly now: Millis;
}

export interface OfferedAccount {
  readonly accountKey: string;
  /** To this tenant. */
  readonly isConnected: boolean;
  /** The address of its profile picture; null for none. */
  readonly picture: string | null;
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
  const offered = (ref: AccountRef, pictureUrl: string | null): OfferedAccount => ({
    accountKey: accountKey(ref),
    isConnected: connectedKeys.has(accountKey(ref)),
    picture: toPicture(pictureUrl, chooser.now)?.url ?? null,
  });
  return offer.pages.map(({ pageId, name, pictureUrl, instagram }) => ({
    pageId,
    name,
    messenger: offered({ platform: "messenger", externalId: pageId }, pictureUrl),
    instagram: instagram && {
      ...offered({ platform: "instagram", externalId: instagram.externalId }, instagram.pictureUrl),
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
