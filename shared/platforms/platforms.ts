import type { Millis } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { Update } from "#features/inbox/rules/updates.ts";
import { type AccountCallPorts, withoutSmokeAccounts } from "./graph/account-calls.ts";
import type { AccountPlatform, CallAccount, ThreadMessage } from "./graph/account-platform.ts";
import type { Dialect } from "./graph/dialect.ts";
import { historyWebhook } from "./graph/history.ts";
import type { PlatformHttp } from "./graph/http.ts";
import { type ConnectionTraits, messagingPlatform } from "./graph/messaging.ts";
import type { Platform, Upstream } from "./graph/platform.ts";
import { readUpdates, selectEvents } from "./graph/webhooks/updates.ts";
import {
  instagramDialect,
  instagramLoginAccounts,
  instagramLoginConnection,
  instagramPageAccounts,
  instagramPageConnection,
} from "./instagram/instagram.ts";
import { messengerAccounts, messengerConnection, messengerDialect } from "./messenger/messenger.ts";

// The only file that knows both platforms.

const dialects: readonly Dialect[] = [instagramDialect, messengerDialect];

const connections: Readonly<Record<Connection, ConnectionTraits>> = {
  instagram_login: instagramLoginConnection,
  instagram_page: instagramPageConnection,
  messenger: messengerConnection,
};

const accountPlatforms: Readonly<Record<Connection, (ports: AccountCallPorts) => AccountPlatform>> = {
  instagram_login: instagramLoginAccounts,
  instagram_page: instagramPageAccounts,
  messenger: messengerAccounts,
};

/** Whether calls for this connection prove that they come from the app, with the Meta app secret. */
export function provesAppSecret(connection: Connection): boolean {
  return connections[connection].host === "facebookGraph";
}

/**
 * The platform for accounts of this connection.
 * @param appSecret the Meta app secret, for a connection that proves it; null or empty sends no proof
 */
export function platformFor(
  connection: Connection,
  upstream: Upstream,
  http: PlatformHttp,
  appSecret: string | null = null,
): Platform {
  return messagingPlatform(connections[connection], upstream, http, appSecret);
}

/** The calls of an account's health checks, for this connection. For the account of a smoke test none is made. */
export function accountPlatformFor(connection: Connection, ports: Omit<AccountCallPorts, "dialects">): AccountPlatform {
  return withoutSmokeAccounts(accountPlatforms[connection]({ ...ports, dialects }));
}

/**
 * Parses a webhook's body into one update per event, in order. Accepts any bytes and never throws. An unreadable event
 * becomes an ignored update, so that it does not block the others. A member that is null counts as absent. Runs in
 * linear time.
 * @param receivedAt the time of events that have none
 */
export function parseUpdates(raw: Uint8Array, receivedAt: Millis): Update[] {
  return readUpdates(dialects, raw, receivedAt);
}

/**
 * Bodies of webhooks with some updates of this one each, as `parseUpdates` reads them. Their bytes are not those of the
 * platform: what no reader reads is not in them.
 * @param selections positions of updates in the webhook, each ascending. An ignored update is left out
 */
export function selectUpdates(raw: Uint8Array, selections: readonly (readonly number[])[]): Uint8Array[] {
  return selectEvents(dialects, raw, selections);
}

/** A webhook's body with these messages of one account. */
export function toWebhookBody(
  account: Pick<CallAccount, "platform" | "externalId">,
  messages: readonly ThreadMessage[],
): Uint8Array {
  return historyWebhook(dialects, account, messages);
}
