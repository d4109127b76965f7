import { randomBytes } from "node:crypto";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import type { LoginCode, Token } from "../world/model.ts";
import { assertActive, isAppToken, tokenText } from "./access.ts";
import { type Context, facebookUserId, parameter } from "./context.ts";
import { GraphError, refuse } from "./error-messages.ts";
import { toPageNode } from "./nodes.ts";

const hour = 3_600_000;
const longLife = 60 * 24 * hour;

function issueToken(context: Context, kind: Token["kind"], subject: string, lifetime: number): Token {
  const now = context.world.now();
  const token: Token = {
    value: `${kind === "instagram_user" ? "IGAA" : "EAA"}${randomBytes(90).toString("base64url").replace(/[-_]/g, "Z")}`,
    kind,
    subject,
    issuedAt: now,
    expiresAt: now + lifetime,
    scopes:
      kind === "instagram_user"
        ? ["instagram_business_basic", "instagram_business_manage_messages"]
        : ["pages_show_list", "pages_messaging", "pages_manage_metadata", "pages_read_engagement"],
    revoked: false,
  };
  context.world.state.tokens.push(token);
  return token;
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
function redeemCode(context: Context, call: Call, kind: LoginCode["kind"]): LoginCode | null {
  const { codes } = context.world.state;
  const code = parameter(call, "code")?.replace(/#_$/, "");
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
  if (parameter(call, "client_secret") !== context.secrets.instagram) return refusal("Error validating client secret.");
  const code = redeemCode(context, call, "instagram_user");
  if (code === null) return refusal("Matching code was not found or was already used");
  const token = issueToken(context, "instagram_user", code.subject, hour);
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
  const token = issueToken(context, "instagram_user", currentToken.subject, longLife);
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
  const token = issueToken(context, "instagram_user", currentToken.subject, longLife);
  await context.world.save();
  return toBearerResponse(token, context.world.now());
}

/** `GET graph.facebook.com/oauth/access_token`: exchanges a login code or a short-lived token for a user token. */
export async function facebookToken(context: Context, call: Call): Promise<HttpOutcome> {
  if (
    parameter(call, "client_id") !== context.world.appId ||
    parameter(call, "client_secret") !== context.secrets.meta
  ) {
    throw new GraphError({ message: "Error validating client secret.", code: 1 });
  }
  if (parameter(call, "grant_type") === "fb_exchange_token") {
    const currentToken = requireActiveToken(context, parameter(call, "fb_exchange_token"), "user");
    const token = issueToken(context, "user", currentToken.subject, longLife);
    await context.world.save();
    return toBearerResponse(token, context.world.now());
  }
  const code = redeemCode(context, call, "user");
  if (code === null) {
    throw new GraphError({ message: "This authorization code has been used.", code: 100, subcode: 36009 });
  }
  const token = issueToken(context, "user", code.subject, hour);
  await context.world.save();
  return toBearerResponse(token, context.world.now());
}

/** `GET /me/accounts`: every Page with its send token. */
export function pagesOfUser(context: Context, token: Token): HttpOutcome {
  if (token.kind !== "user") throw refuse.unknownNode("GET", "me");
  const { accounts, tokens } = context.world.state;
  const pageIds = [...new Set(accounts.flatMap((account) => account.pageId ?? []))];
  const data = pageIds.map((pageId) => {
    const { instagram_business_account: linked, ...page } = toPageNode(context, pageId);
    const pageToken = tokens.find(({ kind, subject, revoked }) => kind === "page" && subject === pageId && !revoked);
    return {
      ...page,
      access_token: pageToken?.value,
      ...(linked === null ? {} : { instagram_business_account: linked }),
      tasks: ["ANALYZE", "ADVERTISE", "MESSAGING", "MODERATE", "CREATE_CONTENT", "MANAGE"],
    };
  });
  return json(200, { data, paging: { cursors: { before: "MAZDZD", after: "MAZDZD" } } });
}

/** `GET /debug_token`: the status of a token. The caller needs the app's token or any active one. */
export function debugToken(context: Context, call: Call): HttpOutcome {
  const callerToken = tokenText(call);
  const { tokens } = context.world.state;
  const now = context.world.now();
  if (!isAppToken(context, callerToken)) {
    const caller = tokens.find((candidate) => candidate.value === callerToken && candidate.kind !== "instagram_user");
    if (caller === undefined) throw refuse.unreadableToken();
    assertActive(caller, now);
  }
  const token = tokens.find(
    (candidate) => candidate.value === parameter(call, "input_token") && candidate.kind !== "instagram_user",
  );
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  if (token === undefined) {
    const error = { code: 190, message: "Invalid OAuth access token - Cannot parse access token" };
    return json(200, { data: { error, is_valid: false, scopes: [] } });
  }
  let error: { code: number; message: string; subcode?: number } | undefined;
  try {
    assertActive(token, now);
  } catch (refusal) {
    if (!(refusal instanceof GraphError)) throw refusal;
    const { code, message, subcode } = refusal.detail;
    error = { code, message, ...(subcode === undefined ? {} : { subcode }) };
  }
  return json(200, {
    data: {
      app_id: context.world.appId,
      type: token.kind === "page" ? "PAGE" : "USER",
      application: "Simulated app",
      data_access_expires_at: seconds(token.issuedAt + 90 * 24 * hour),
      expires_at: token.expiresAt === null ? 0 : seconds(token.expiresAt),
      ...(error === undefined ? {} : { error }),
      is_valid: error === undefined,
      issued_at: seconds(token.issuedAt),
      ...(token.kind === "page" ? { profile_id: token.subject } : {}),
      scopes: token.scopes,
      user_id: token.kind === "page" ? facebookUserId : token.subject,
    },
  });
}
