import { assertActive, tokenText } from "../calls/access.ts";
import { type Context, parameter } from "../calls/context.ts";
import { GraphError, refuse } from "../calls/error-messages.ts";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import type { LoginCode, LoginKind, Token } from "../world/model.ts";

const hour = 3_600_000;
const longLife = 60 * 24 * hour;

/** A token of a login, with the grants of its code or of the token that it extends. */
function issueLoginToken({ world }: Context, grants: LoginCode | Token, lifetime: number): Token {
  const { kind, subject, scopes, pages } = grants;
  const expiresAt = world.now() + lifetime;
  return world.issueToken({ kind, subject, expiresAt, scopes, ...(pages === undefined ? {} : { pages }) });
}

function toBearerResponse(token: Token, now: number): HttpOutcome {
  const seconds = token.expiresAt === null ? undefined : Math.floor((token.expiresAt - now) / 1000);
  return json(200, { access_token: token.value, token_type: "bearer", expires_in: seconds });
}

function requireActiveToken(context: Context, value: string | undefined, kind: Token["kind"]): Token {
  const token = context.world.state.tokens.find((candidate) => candidate.value === value && candidate.kind === kind);
  if (token === undefined) throw refuse.unreadableToken();
  assertActive(token, context.world.now());
  return token;
}

/** Consumes a login code. It is valid once, for one hour, with the redirect URI it was issued for. */
function redeemCode(context: Context, call: Call, kind: LoginKind): LoginCode | null {
  const { codes } = context.world.state;
  const code = parameter(call, "code");
  const at = codes.findIndex((candidate) => candidate.code === code && candidate.kind === kind);
  const loginCode = codes[at];
  if (loginCode === undefined || loginCode.redirectUri !== parameter(call, "redirect_uri")) return null;
  codes.splice(at, 1);
  return loginCode.expiresAt > context.world.now() ? loginCode : null;
}

/** `POST api.instagram.com/oauth/access_token`: exchanges a login code for a token of one hour. */
export async function instagramCode(context: Context, call: Call): Promise<HttpOutcome> {
  const refusal = (text: string): HttpOutcome =>
    json(400, { error_type: "OAuthException", code: 400, error_message: text });
  if (parameter(call, "client_id") !== context.appIds.instagram_user) return refusal("Invalid platform app");
  if (parameter(call, "client_secret") !== context.secrets.instagram) return refusal("Error validating client secret.");
  if (parameter(call, "grant_type") !== "authorization_code") return refusal("Invalid grant_type");
  const code = redeemCode(context, call, "instagram_user");
  if (code === null) return refusal("Matching code was not found or was already used");
  const token = issueLoginToken(context, code, hour);
  await context.world.save();
  const permissions = token.scopes.join(",");
  const flat = { access_token: token.value, user_id: code.subject };
  if (context.tokenShape === "wrapped") return json(200, { data: [{ ...flat, permissions }] });
  if (context.tokenShape === "flat") return json(200, { ...flat, permissions: token.scopes });
  // The platform returns this id as a JSON number beyond 2^53, which JSON.stringify cannot write.
  const body = `{"access_token":${JSON.stringify(token.value)},"user_id":${code.subject},"permissions":${JSON.stringify(token.scopes)}}`;
  return { ...json(200, {}), body };
}

/** `GET graph.instagram.com/access_token`: exchanges a one-hour token for one of sixty days. */
export async function exchangeInstagram(context: Context, call: Call): Promise<HttpOutcome> {
  if (parameter(call, "grant_type") !== "ig_exchange_token") throw refuse.parameter("Invalid grant_type", true);
  if (parameter(call, "client_secret") !== context.secrets.instagram) {
    throw new GraphError({ message: "Error validating client secret.", code: 1 });
  }
  const currentToken = requireActiveToken(context, tokenText(call), "instagram_user");
  const token = issueLoginToken(context, currentToken, longLife);
  await context.world.save();
  return toBearerResponse(token, context.world.now());
}

/** `GET graph.instagram.com/refresh_access_token`: extends a token that is at least one day old by sixty days. */
export async function refreshInstagram(context: Context, call: Call): Promise<HttpOutcome> {
  if (parameter(call, "grant_type") !== "ig_refresh_token") throw refuse.parameter("Invalid grant_type", true);
  const currentToken = requireActiveToken(context, tokenText(call), "instagram_user");
  if (context.world.now() - currentToken.issuedAt < 24 * hour) {
    throw refuse.parameter("The access token must be at least 24 hours old to be refreshed", true);
  }
  const token = issueLoginToken(context, currentToken, longLife);
  await context.world.save();
  return toBearerResponse(token, context.world.now());
}

/** `GET graph.facebook.com/oauth/access_token`: exchanges a login code or a short-lived token for a user token. */
export async function facebookToken(context: Context, call: Call): Promise<HttpOutcome> {
  if (
    parameter(call, "client_id") !== context.appIds.user ||
    parameter(call, "client_secret") !== context.secrets.meta
  ) {
    throw new GraphError({ message: "Error validating client secret.", code: 1 });
  }
  if (parameter(call, "grant_type") === "fb_exchange_token") {
    const currentToken = requireActiveToken(context, parameter(call, "fb_exchange_token"), "user");
    const token = issueLoginToken(context, currentToken, longLife);
    await context.world.save();
    return toBearerResponse(token, context.world.now());
  }
  const code = redeemCode(context, call, "user");
  if (code === null) {
    throw new GraphError({ message: "This authorization code has been used.", code: 100, subcode: 36009 });
  }
  const token = issueLoginToken(context, code, hour);
  await context.world.save();
  return toBearerResponse(token, context.world.now());
}
