import { randomBytes } from "node:crypto";
import type { Context } from "../calls/context.ts";
import type { Call, HttpOutcome, HttpResponse } from "../http/http-server.ts";
import type { LoginKind } from "../world/model.ts";
import { pagesOf } from "../world/pages.ts";
import { consentPage, problemPage } from "./consent-page.ts";
import { type LoginRequest, readLoginRequest } from "./login-request.ts";

/** What the person decided on the consent page. */
interface Consent {
  /** The Instagram account or the Facebook user; undefined if there is none. */
  subject: string | undefined;
  scopes: string[];
  pages: string[];
}

const codeLifeMs = 3_600_000;

/**
 * The login page of either platform: `GET` shows the consent page, which posts the choices to the same URL. The answer to
 * a decision redirects back with a code, or with `error=access_denied`.
 * `sim_consent=auto` consents at once and `sim_deny=1` cancels at once. `sim_account` and `sim_user` select who logs in,
 * `sim_pages` the Pages that are granted, and `sim_without` the scopes that are left out; lists have commas.
 */
export async function login(context: Context, call: Call, kind: LoginKind): Promise<HttpOutcome> {
  const { query } = call;
  const request = readLoginRequest(context, query, kind);
  if ("problem" in request) return problemPage(kind, request.problem);
  if (query.get("sim_deny") === "1") return deny(request);
  if (call.method === "POST") {
    if (call.body.decision !== "allow") return deny(request);
    return grant(context, request, postedConsent(context, request, call));
  }
  if (query.get("sim_consent") === "auto") return grant(context, request, automaticConsent(context, request, query));
  return consentPage(context, request, query);
}

function postedConsent({ world }: Context, { kind, scopes }: LoginRequest, { body }: Call): Consent {
  const isSubject = kind === "user" ? userIds(world) : instagramIds(world);
  return {
    subject: isSubject.find((id) => id === body.subject),
    scopes: scopes.flatMap(({ name, isRequired }) => (isRequired || body[`scope_${name}`] !== undefined ? name : [])),
    pages: pagesOf(world).flatMap(({ id }) => (body[`page_${id}`] === undefined ? [] : id)),
  };
}

function automaticConsent({ world }: Context, { kind, scopes }: LoginRequest, query: URLSearchParams): Consent {
  const requested = query.get(kind === "user" ? "sim_user" : "sim_account");
  const ids = kind === "user" ? userIds(world) : instagramIds(world);
  const list = (name: string): string[] | undefined => query.get(name)?.split(",");
  const pages = list("sim_pages");
  return {
    subject: requested === null ? ids[0] : ids.find((id) => id === requested),
    scopes: scopes.map(({ name }) => name).filter((name) => list("sim_without")?.includes(name) !== true),
    pages: pagesOf(world).flatMap(({ id }) => (pages === undefined || pages.includes(id) ? id : [])),
  };
}

const userIds = (world: Context["world"]): string[] => world.state.users.map(({ id }) => id);
const instagramIds = (world: Context["world"]): string[] =>
  world.state.accounts.flatMap(({ connection, externalId }) => (connection === "instagram_login" ? externalId : []));

async function grant(
  { world }: Context,
  request: LoginRequest,
  { subject, scopes, pages }: Consent,
): Promise<HttpResponse> {
  const { kind, redirectUri } = request;
  if (subject === undefined) return problemPage(kind, "There is no such account");
  const code = `AQ${randomBytes(96).toString("base64url")}`;
  world.state.codes.push({ code, kind, subject, redirectUri, scopes, pages, expiresAt: world.now() + codeLifeMs });
  await world.save();
  return redirect(request, { code });
}

function deny(request: LoginRequest): HttpResponse {
  return redirect(request, {
    error: "access_denied",
    ...(request.kind === "user" ? { error_code: "200" } : {}),
    error_reason: "user_denied",
    error_description: request.kind === "user" ? "Permissions error" : "The user denied your request.",
  });
}

function redirect({ kind, redirectUri, state }: LoginRequest, result: Record<string, string>): HttpResponse {
  const callback = new URL(redirectUri);
  for (const [name, value] of Object.entries(result)) callback.searchParams.set(name, value);
  if (state !== null) callback.searchParams.set("state", state);
  const suffix = kind === "user" ? "#_=_" : "#_";
  return { status: 302, headers: { Location: `${callback}${suffix}`, "Cache-Control": "no-store" }, body: "" };
}
