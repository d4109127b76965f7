import { createHmac } from "node:crypto";
import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalEnum, optionalString } from "../http/fields.ts";
import { endSubscription } from "../webhooks/subscription-health.ts";
import type { Account, SecretName } from "../world/model.ts";
import { requireAccount } from "./targets.ts";
import { removeApp, tokensOfUser } from "./tokens.ts";

const responseTimeoutMs = 15_000;
const shownBytes = 4_000;

/** The answer of the app to a callback about a user. */
interface CallbackAnswer {
  url: string;
  /** The user's id in the form, and the app that signed it. */
  user_id: string;
  secret: SecretName;
  signed_request: string;
  /** Null if there was no answer. */
  status: number | null;
  /** The beginning of the answer's body, or the reason why there was none. */
  body: string;
}

/** Whom a callback is about. */
interface Login {
  userId: string;
  secret: SecretName;
  /** The account of an Instagram login; undefined for a Facebook user. */
  account: Account | undefined;
}

/**
 * A person removes the app: their tokens end, and the platform calls the app's deauthorize callback.
 * Fields: `user` or `account, connection?`; `secret?`, `signature?`.
 */
export async function deauthorize(context: Context, fields: Fields): Promise<CallbackAnswer> {
  const { world } = context;
  const login = readLogin(context, fields);
  if (optionalEnum(fields, "signature", ["good", "bad"]) !== "bad") {
    const { account, userId } = login;
    const isToken = ({ kind, subject }: { kind: string; subject: string }): boolean =>
      kind === "instagram_user" && subject === account?.externalId;
    removeApp(account === undefined ? tokensOfUser(world, userId) : world.state.tokens.filter(isToken), world.now());
    if (account !== undefined) endSubscription(world, account.externalId);
    await world.save();
  }
  return callApp(context, fields, { path: "/platform/deauthorize", login });
}

/** A person asks for the deletion of their data. Fields as of `deauthorize`. */
export async function requestDeletion(context: Context, fields: Fields): Promise<CallbackAnswer> {
  return callApp(context, fields, { path: "/platform/data-deletion", login: readLogin(context, fields) });
}

/** The user of the fields. An Instagram login has the app-scoped id of its account; any other text is a user's id. */
function readLogin({ world }: Context, fields: Fields): Login {
  const user = optionalString(fields, "user");
  const secret = optionalEnum(fields, "secret", ["meta", "instagram"]);
  if (user !== undefined) {
    if (user === "") throw new BadInput("user must be an id");
    const account = world.state.accounts.find(
      ({ connection, appScopedId }) => connection === "instagram_login" && appScopedId === user,
    );
    return { userId: user, secret: secret ?? (account === undefined ? "meta" : "instagram"), account };
  }
  const account = requireAccount(world, fields);
  if (account.connection === "instagram_login") {
    return { userId: account.appScopedId, secret: secret ?? "instagram", account };
  }
  const tokens = world.state.tokens.filter(({ kind, subject }) => kind === "page" && subject === account.pageId);
  const userId = tokens.at(-1)?.user ?? world.state.users[0]?.id ?? "0";
  return { userId, secret: secret ?? "meta", account: undefined };
}

/** Posts the signed form to the app. */
async function callApp(
  { secrets, webhookBase, world }: Context,
  fields: Fields,
  { path, login: { userId, secret } }: { path: string; login: Login },
): Promise<CallbackAnswer> {
  const isBad = optionalEnum(fields, "signature", ["good", "bad"]) === "bad";
  const issuedAt = Math.floor(world.now() / 1000);
  const content = { user_id: userId, algorithm: "HMAC-SHA256", issued_at: issuedAt };
  const payload = Buffer.from(JSON.stringify(content)).toString("base64url");
  const key = isBad ? `${secrets[secret]} of another app` : secrets[secret];
  const signedRequest = `${createHmac("sha256", key).update(payload).digest("base64url")}.${payload}`;
  const url = `${webhookBase}${path}`;
  const about = { url, user_id: userId, secret, signed_request: signedRequest };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "User-Agent": "facebookexternalua" },
      body: new URLSearchParams({ signed_request: signedRequest }).toString(),
      signal: AbortSignal.timeout(responseTimeoutMs),
      redirect: "error",
    });
    return { ...about, status: response.status, body: (await response.text()).slice(0, shownBytes) };
  } catch (error) {
    return { ...about, status: null, body: error instanceof Error ? error.message : String(error) };
  }
}
