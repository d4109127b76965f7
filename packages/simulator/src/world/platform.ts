import type { Account, WebhookObject } from "./model.ts";

export function isInstagram(account: Account): boolean {
  return account.connection !== "messenger";
}

export function webhookObject(account: Account): WebhookObject {
  return isInstagram(account) ? "instagram" : "page";
}
