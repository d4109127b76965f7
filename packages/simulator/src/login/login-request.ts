import type { Context } from "../calls/context.ts";
import type { LoginKind } from "../world/model.ts";
import { requestedScopes, type Scope } from "./scopes.ts";

/** A login that the platform accepts: who may log in, and what they may grant. */
export interface LoginRequest {
  kind: LoginKind;
  redirectUri: string;
  state: string | null;
  /** The id of the app that asks. */
  clientId: string;
  scopes: readonly Scope[];
}

/** Checks a login as the platforms do. Returns the first problem, as a text for the person. */
export function readLoginRequest(
  context: Context,
  query: URLSearchParams,
  kind: LoginKind,
): LoginRequest | { problem: string } {
  const clientId = query.get("client_id") ?? "";
  if (clientId !== context.appIds[kind]) return { problem: "Invalid platform app: the client_id is not the app's id" };
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!isWebUrl(redirectUri)) return { problem: "Invalid redirect_uri" };
  const { redirectUris } = context;
  if (redirectUris !== undefined && !redirectUris.includes(redirectUri)) {
    return { problem: "Invalid redirect_uri: it is not one of the app's redirect URIs" };
  }
  if ((query.get("response_type") ?? "code") !== "code") return { problem: "response_type must be code" };
  const requested = requestedScopes(kind, { scope: query.get("scope"), config_id: query.get("config_id") });
  if ("unknown" in requested) return { problem: `Invalid scopes: ${requested.unknown || "none is requested"}` };
  return { kind, redirectUri, state: query.get("state"), clientId, scopes: requested.scopes };
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
