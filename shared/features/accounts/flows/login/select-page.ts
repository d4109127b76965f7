import { invalidField, isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { LoginPage } from "#platforms/messenger/facebook-login.ts";
import type { Account, PlatformName } from "../../rules/accounts.ts";
import type { ConnectReason } from "../connect.ts";
import { readOffer } from "./pages.ts";
import type { LoginConnection, SelectPagePorts } from "./ports.ts";

/** What a person chooses. */
type Selection = Pick<LoginConnection, "tenant" | "author" | "time"> & {
  readonly now: Millis;
  readonly pageId: string;
  /** The page's own account, its linked Instagram account, or both. */
  readonly platforms: readonly PlatformName[];
};

/**
 * Connects the accounts of a page, one after the other: an account before one that is refused stays connected. Both have
 * the page's token, which has no end.
 */
export async function selectPage(
  ports: SelectPagePorts,
  { pageId, platforms, now, ...connection }: Selection,
): Promise<readonly Account[] | Refusal<"invalid_request" | "oauth_state_invalid" | ConnectReason>> {
  const { tenant, author } = connection;
  const offer = await readOffer(ports, { tenant, userId: author.caller.userId, now });
  if (isRefusal(offer)) return offer;
  const page = offer.pages.find((candidate) => candidate.pageId === pageId);
  if (!page) return invalidField("page_id", "must be a page of GET /oauth/messenger/pages");
  if (platforms.includes("instagram") && !page.instagram) {
    return invalidField("connect", "must not have instagram for a page without an Instagram account");
  }
  const connected: Account[] = [];
  const { token } = page;
  const { authorizedBy } = offer;
  for (const selected of toAccounts(page, platforms)) {
    const result = await ports.connectAccount({
      ...connection,
      ...selected,
      token,
      tokenExpiresAt: null,
      authorizedBy,
    });
    if (isRefusal(result)) return result;
    connected.push(result);
  }
  return connected;
}

type SelectedAccount = Pick<LoginConnection, "account" | "pictureUrl">;

function toAccounts(page: LoginPage, platforms: readonly PlatformName[]): SelectedAccount[] {
  const { pageId, name, username, pictureUrl, instagram } = page;
  const accounts: SelectedAccount[] = [];
  if (platforms.includes("messenger")) {
    const handle = username ?? name;
    const ref = { platform: "messenger", externalId: pageId } as const;
    accounts.push({ account: { ...ref, connection: "messenger", handle, displayName: name, pageId }, pictureUrl });
  }
  if (platforms.includes("instagram") && instagram) {
    const { externalId, username: handle, displayName } = instagram;
    const ref = { platform: "instagram", externalId } as const;
    accounts.push({
      account: { ...ref, connection: "instagram_page", handle, displayName, pageId },
      pictureUrl: instagram.pictureUrl,
    });
  }
  return accounts;
}
