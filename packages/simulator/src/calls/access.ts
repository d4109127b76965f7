import { createHmac } from "node:crypto";
import type { Call } from "../http/http-server.ts";
import type { Token } from "../world/model.ts";
import { type Context, type GraphHost, parameter } from "./context.ts";
import { codedError } from "./error-codes.ts";
import { refuse } from "./error-messages.ts";

/** The token of a call, from the Authorization header or else the parameter. */
export function tokenText(call: Call): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(call.headers.authorization ?? "")?.[1];
  return bearer ?? parameter(call, "access_token");
}

/** Checks the token by the simulator's clock. Throws the platform's error 190 if it is revoked or expired. */
export function assertActive(token: Token, now: number): void {
  if (token.revoked) throw token.subcode === undefined ? refuse.revokedToken() : codedError(190, token.subcode);
  if (token.expiresAt !== null && token.expiresAt <= now) throw refuse.expiredToken(token.expiresAt, now);
}

/**
 * The active token of a call. Instagram's host accepts tokens of Instagram users, Facebook's host the others.
 * Throws 190 for a missing, foreign, revoked or expired token, and 100 for an invalid `appsecret_proof`.
 */
export function authenticate(context: Context, host: GraphHost, call: Call): Token {
  const text = tokenText(call);
  const token = context.world.state.tokens.find((candidate) => candidate.value === text);
  if (token === undefined || (token.kind === "instagram_user") !== (host === "instagram")) {
    throw refuse.unreadableToken();
  }
  assertActive(token, context.world.now());
  const proof = parameter(call, "appsecret_proof");
  if (host === "facebook" && proof !== undefined) {
    const expected = createHmac("sha256", context.secrets.meta).update(token.value).digest("hex");
    if (proof !== expected) throw refuse.parameter("Invalid appsecret_proof provided in the API argument");
  }
  return token;
}

/** Whether the call carries the app's token, `<app id>|<app secret>`. */
export function isAppToken(context: Context, text: string | undefined): boolean {
  return text === `${context.world.appId}|${context.secrets.meta}`;
}
