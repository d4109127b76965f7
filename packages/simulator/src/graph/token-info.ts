import { assertActive, isAppToken, tokenText } from "../calls/access.ts";
import { type Context, parameter } from "../calls/context.ts";
import { GraphError, refuse } from "../calls/error-messages.ts";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import type { Token } from "../world/model.ts";

const dataAccessMs = 90 * 24 * 3_600_000;

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
      data_access_expires_at: seconds(token.issuedAt + dataAccessMs),
      expires_at: token.expiresAt === null ? 0 : seconds(token.expiresAt),
      ...(error === undefined ? {} : { error }),
      is_valid: error === undefined,
      issued_at: seconds(token.issuedAt),
      ...(token.kind === "page" ? { profile_id: token.subject } : {}),
      scopes: token.scopes,
      granular_scopes: granularScopes(context, token),
      user_id: token.kind === "page" ? (token.user ?? context.world.state.users[0]?.id) : token.subject,
    },
  });
}

/** The scopes with the Pages that they are granted for. */
function granularScopes({ world }: Context, token: Token): { scope: string; target_ids?: string[] }[] {
  const pageIds = token.kind === "page" ? [token.subject] : token.pages;
  return token.scopes.map((scope) => {
    if (!scope.startsWith("pages_") || pageIds === undefined) return { scope };
    return { scope, target_ids: pageIds.filter((id) => world.accountsOfPage(id).length > 0) };
  });
}
