import type { Account, Token } from "../world/model.ts";
import { GraphError } from "./error-messages.ts";

const messagingScopes = {
  instagram_login: "instagram_business_manage_messages",
  instagram_page: "instagram_manage_messages",
  messenger: "pages_messaging",
} as const;

/** Throws the platform's error if the person did not grant the app the messages of this account. */
export function assertMessaging({ scopes }: Token, { connection }: Pick<Account, "connection">): void {
  const scope = messagingScopes[connection];
  if (!scopes.includes(scope)) throw missingScope(scope);
}

/** Throws the platform's error if the person did not grant the app the webhooks of messages. */
export function assertSubscribing({ kind, scopes }: Token, fields: readonly string[]): void {
  const scopesToSubscribe =
    kind === "instagram_user"
      ? ["instagram_business_manage_messages"]
      : ["pages_manage_metadata", ...(fields.includes("messages") ? ["pages_messaging"] : [])];
  const missing = scopesToSubscribe.find((scope) => !scopes.includes(scope));
  if (missing !== undefined) throw missingScope(missing);
}

/** Messenger's permissions are refused with 200, Instagram's with 10. */
function missingScope(scope: string): GraphError {
  if (scope.startsWith("pages_")) {
    return new GraphError({ message: `(#200) Requires ${scope} permission to manage the object`, code: 200 });
  }
  return new GraphError({ message: "(#10) Application does not have permission for this action", code: 10 });
}
