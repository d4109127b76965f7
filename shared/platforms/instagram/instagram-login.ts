import { clockNow, type Millis } from "#base/kernel/time.ts";
import type { CallFailure, CallRefused } from "../graph/account-platform.ts";
import { callGraph, instagramPicture, readAccountId, readLife, readNames, readToken } from "../graph/graph-call.ts";
import type { PlatformHttp } from "../graph/http.ts";
import { asObject, type JsonObject, NAME_CHARS_MAX, readDisplayName, USERNAME_CHARS_MAX } from "../graph/json.ts";
import { dialogUrl, type LoggedIn, type LoginDialog } from "../graph/login.ts";

/** An Instagram account as its platform names it. */
export interface LoginAccount {
  readonly externalId: string;
  readonly handle: string;
  readonly displayName: string;
}

/** A person who has logged in, with their account. */
interface InstagramLoggedIn extends LoggedIn {
  readonly account: LoginAccount;
  /** Not validated; null for none. */
  readonly pictureUrl: string | null;
}

/** Instagram Login, after its dialog. Its calls throw for no error of the platform or the network. */
export interface InstagramLogin {
  /**
   * Exchanges the code of a login. Refused with the class `permission` where the person left out the right to messages.
   * @param redirectUri the one of the login's dialog
   */
  logIn(code: string, redirectUri: string): Promise<InstagramLoggedIn | CallFailure>;
}

interface InstagramLoginPorts {
  /** The platform's hosts, without a trailing slash, and the version of its API. */
  readonly upstream: {
    readonly instagramApi: string;
    readonly instagramGraph: string;
    readonly graphVersion: string;
  };
  readonly http: PlatformHttp;
  /** The Instagram id and secret of the app, which are not those of the Meta app. */
  readonly appId: string;
  readonly appSecret: string;
  /** The current time. Default: that of the process. */
  readonly clock?: () => Millis;
}

const MESSAGING_SCOPE = "instagram_business_manage_messages";
const SCOPES = ["instagram_business_basic", MESSAGING_SCOPE];

/** Instagram's own login. @param appId the Instagram id of the app, which is not that of the Meta app */
export function instagramDialog(host: string, appId: string): LoginDialog {
  return {
    authorizeUrl: (state, redirectUri) =>
      dialogUrl(`${host}/oauth/authorize`, {
        client_id: appId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPES.join(","),
        state,
      }),
  };
}

/** Instagram Login, which needs no page. */
export function instagramLogin(ports: InstagramLoginPorts): InstagramLogin {
  const { clock = clockNow } = ports;
  return {
    logIn: async (code, redirectUri) => {
      const shortToken = await redeemCode(ports, code, redirectUri);
      if (shortToken.kind !== "token") return shortToken;
      if (shortToken.isScopeMissing) return scopeMissing;
      const now = clock();
      const longToken = await extendToken(ports, shortToken.token);
      if (longToken.kind !== "token") return longToken;
      const { token, life } = longToken;
      const person = await readPerson(ports, token);
      if (person.kind !== "person") return person;
      const { userIds, account, pictureUrl } = person;
      return { kind: "logged_in", token, expiresAt: now + life, userIds, account, pictureUrl };
    },
  };
}

const scopeMissing: CallRefused = {
  kind: "refused",
  class: "permission",
  detail: `The permission ${MESSAGING_SCOPE} was not granted.`,
  code: null,
  subcode: null,
  accountStatus: null,
  transient: false,
};

interface ShortToken {
  readonly kind: "token";
  readonly token: string;
  /** The answer lists what the person granted, without the right to messages. */
  readonly isScopeMissing: boolean;
}

function redeemCode(
  { upstream, http, appId, appSecret }: InstagramLoginPorts,
  code: string,
  redirectUri: string,
): Promise<ShortToken | CallFailure> {
  const form = {
    client_id: appId,
    client_secret: appSecret,
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    code,
  };
  const call = { method: "POST", url: `${upstream.instagramApi}/oauth/access_token`, token: null, form } as const;
  return callGraph(http, call, (body) => {
    const answer = unwrap(body);
    const token = readToken(answer?.access_token);
    const scopes = readNames(answer?.permissions);
    const isScopeMissing = scopes !== null && !scopes.includes(MESSAGING_SCOPE);
    return token === null ? null : { kind: "token", token, isScopeMissing };
  });
}

/** The fields of the answer are in a list of one, as documented, or in the answer itself. */
function unwrap(body: JsonObject): JsonObject | null {
  return Array.isArray(body.data) ? asObject(body.data[0]) : body;
}

/** Exchanges a token of one hour for one of sixty days. */
function extendToken(
  { upstream, http, appSecret }: InstagramLoginPorts,
  shortToken: string,
): Promise<{ readonly kind: "token"; readonly token: string; readonly life: Millis } | CallFailure> {
  const query = { grant_type: "ig_exchange_token", client_secret: appSecret, access_token: shortToken };
  const call = { method: "GET", url: `${upstream.instagramGraph}/access_token`, token: null, query } as const;
  return callGraph(http, call, (body) => {
    const token = readToken(body.access_token);
    const life = readLife(body.expires_in);
    return token === null || life === null ? null : { kind: "token", token, life };
  });
}

interface LoginPerson {
  readonly kind: "person";
  readonly userIds: readonly string[];
  readonly account: LoginAccount;
  readonly pictureUrl: string | null;
}

/** `user_id` is the id of the account in webhooks, and `id` the one that the app knows the person by. */
function readPerson({ upstream, http }: InstagramLoginPorts, token: string): Promise<LoginPerson | CallFailure> {
  const query = { fields: `user_id,username,name,id,${instagramPicture.name}` };
  const url = `${upstream.instagramGraph}/${upstream.graphVersion}/me`;
  return callGraph(http, { method: "GET", url, token, query }, (body) => {
    const externalId = readAccountId(body.user_id);
    const scopedId = readAccountId(body.id);
    const handle = readDisplayName(body.username, USERNAME_CHARS_MAX);
    if (externalId === null || scopedId === null || handle === null) return null;
    const displayName = readDisplayName(body.name, NAME_CHARS_MAX) ?? handle;
    return {
      kind: "person",
      userIds: [...new Set([scopedId, externalId])],
      account: { externalId, handle, displayName },
      pictureUrl: instagramPicture.read(body),
    };
  });
}
