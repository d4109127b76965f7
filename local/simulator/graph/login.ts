import { randomBytes } from "node:crypto";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import type { LoginCode } from "../world/model.ts";
import { type Context, facebookUserId } from "./context.ts";

/**
 * The login page of either platform. It consents at once and redirects back with a code.
 * `sim_deny=1` cancels instead. `sim_account` selects the Instagram account that logs in.
 */
export async function login(context: Context, call: Call, kind: LoginCode["kind"]): Promise<HttpOutcome> {
  const { query } = call;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!URL.canParse(redirectUri) || !/^https?:$/.test(new URL(redirectUri).protocol)) {
    return json(400, { error_type: "OAuthException", code: 400, error_message: "Invalid redirect_uri" });
  }
  const callback = new URL(redirectUri);
  const state = query.get("state");
  if (query.get("sim_deny") === "1") {
    callback.searchParams.set("error", "access_denied");
    callback.searchParams.set("error_reason", "user_denied");
    callback.searchParams.set("error_description", "The user denied your request.");
  } else {
    const subject = kind === "user" ? facebookUserId : findInstagramId(context, query.get("sim_account"));
    if (subject === undefined) {
      return json(400, {
        error_type: "OAuthException",
        code: 400,
        error_message: "There is no such Instagram account",
      });
    }
    const code = `AQ${randomBytes(96).toString("base64url")}`;
    context.world.state.codes.push({ code, kind, subject, redirectUri, expiresAt: context.world.now() + 3_600_000 });
    await context.world.save();
    callback.searchParams.set("code", code);
  }
  if (state !== null) callback.searchParams.set("state", state);
  return { status: 302, headers: { Location: `${callback}#_`, "Cache-Control": "no-store" }, body: "" };
}

function findInstagramId(context: Context, requestedId: string | null): string | undefined {
  return context.world.state.accounts.find(
    ({ connection, externalId }) =>
      connection === "instagram_login" && (requestedId === null || externalId === requestedId),
  )?.externalId;
}
