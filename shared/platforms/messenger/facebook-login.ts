import { clockNow, DAY, type Millis } from "#base/kernel/time.ts";
import type { CallFailure, CallUnknown } from "../graph/account-platform.ts";
import { appSecretProof } from "../graph/app-secret-proof.ts";
import { readNextPage } from "../graph/conversations.ts";
import {
  callGraph,
  instagramPicture,
  pagePicture,
  readAccountId,
  readLife,
  readNames,
  readToken,
} from "../graph/graph-call.ts";
import type { PlatformHttp } from "../graph/http.ts";
import { asObject, type JsonObject, NAME_CHARS_MAX, readDisplayName, USERNAME_CHARS_MAX } from "../graph/json.ts";
import { dialogUrl, type LoggedIn, type LoginDialog } from "../graph/login.ts";

/** A page that the person may use for messages. */
export interface LoginPage {
  readonly pageId: string;
  readonly name: string;
  readonly username: string | null;
  /** Not validated; null for none. */
  readonly pictureUrl: string | null;
  /** The page's token, which has no end. */
  readonly token: string;
  /** The Instagram account that is linked to the page. */
  readonly instagram: {
    readonly externalId: string;
    readonly username: string;
    readonly displayName: string;
    /** Not validated; null for none. */
    readonly pictureUrl: string | null;
  } | null;
}

/** Facebook Login for pages, after its dialog. Its calls throw for no error of the platform or the network. */
export interface FacebookLogin {
  /** Exchanges the code of a login. @param redirectUri the one of the login's dialog */
  logIn(code: string, redirectUri: string): Promise<LoggedIn | CallFailure>;
  /** The pages for whose messages the person may act, at most 2,000. @param token of `logIn` */
  listPages(token: string): Promise<{ readonly kind: "listed"; readonly pages: readonly LoginPage[] } | CallFailure>;
}

interface FacebookLoginPorts {
  /** The platform's hosts, without a trailing slash, and the version of its API. */
  readonly upstream: { readonly facebookGraph: string; readonly graphVersion: string };
  readonly http: PlatformHttp;
  readonly appId: string;
  readonly appSecret: string;
  /** The current time. Default: that of the process. */
  readonly clock?: () => Millis;
}

const INSTAGRAM_FIELDS = `id,username,name,${instagramPicture.name}`;
const PAGE_FIELDS = `id,name,username,${pagePicture.name},access_token,tasks,instagram_business_account{${INSTAGRAM_FIELDS}}`;
const PAGE_SIZE = 100;
const CALLS_MAX = 20;
const MESSAGING_TASKS: ReadonlySet<string> = new Set(["MESSAGING", "PROFILE_PLUS_MESSAGING"]);
/** The platform leaves out `expires_in` of some long-lived tokens. */
const LIFE_DEFAULT: Millis = 60 * DAY;

const unknown: CallUnknown = { kind: "unknown" };

/** Pages, and the Instagram accounts that are linked to them. Pages of a business are missing without the fifth. */
const SCOPES = [
  "pages_show_list",
  "pages_messaging",
  "pages_manage_metadata",
  "pages_read_engagement",
  "business_management",
  "instagram_basic",
  "instagram_manage_messages",
];

/** @param options `config`: the id of a configuration of Facebook Login for Business, which names the permissions */
export function facebookDialog(
  host: string,
  options: { readonly appId: string; readonly graphVersion: string; readonly config: string | null },
): LoginDialog {
  const { appId, graphVersion, config } = options;
  return {
    authorizeUrl: (state, redirectUri) =>
      dialogUrl(`${host}/${graphVersion}/dialog/oauth`, {
        client_id: appId,
        redirect_uri: redirectUri,
        response_type: "code",
        // Without the override, a configuration may answer with a token in the fragment instead of a code.
        ...(config === null
          ? { scope: SCOPES.join(",") }
          : { config_id: config, override_default_response_type: "true" }),
        state,
      }),
  };
}

/** Facebook Login, for pages with their inbox and their linked Instagram account. */
export function facebookLogin(ports: FacebookLoginPorts): FacebookLogin {
  const { clock = clockNow } = ports;
  return {
    logIn: async (code, redirectUri) => {
      const short = await readTokenFor(ports, { redirect_uri: redirectUri, code });
      if (short.kind !== "token") return short;
      const now = clock();
      const long = await readTokenFor(ports, { grant_type: "fb_exchange_token", fb_exchange_token: short.token });
      if (long.kind !== "token") return long;
      const user = await readUserId(ports, long.token);
      if (user.kind !== "user") return user;
      return {
        kind: "logged_in",
        token: long.token,
        expiresAt: now + (long.life ?? LIFE_DEFAULT),
        userIds: [user.id],
      };
    },

    listPages: (token) => listPages(ports, token),
  };
}

function readTokenFor(
  { upstream, http, appId, appSecret }: FacebookLoginPorts,
  grant: Readonly<Record<string, string>>,
): Promise<{ readonly kind: "token"; readonly token: string; readonly life: Millis | null } | CallFailure> {
  const query = { client_id: appId, client_secret: appSecret, ...grant };
  const url = `${upstream.facebookGraph}/${upstream.graphVersion}/oauth/access_token`;
  return callGraph(http, { method: "GET", url, token: null, query }, (body) => {
    const token = readToken(body.access_token);
    return token === null ? null : { kind: "token", token, life: readLife(body.expires_in) };
  });
}

function readUserId(
  { upstream, http, appSecret }: FacebookLoginPorts,
  token: string,
): Promise<{ readonly kind: "user"; readonly id: string } | CallFailure> {
  const query = { fields: "id", ...appSecretProof(appSecret, token) };
  const url = `${upstream.facebookGraph}/${upstream.graphVersion}/me`;
  return callGraph(http, { method: "GET", url, token, query }, (body) => {
    const id = readAccountId(body.id);
    return id === null ? null : { kind: "user", id };
  });
}

/** A cursor that comes again would list the same pages without an end, and is a failure. */
async function listPages(
  { upstream, http, appSecret }: FacebookLoginPorts,
  token: string,
): Promise<{ readonly kind: "listed"; readonly pages: readonly LoginPage[] } | CallFailure> {
  const url = `${upstream.facebookGraph}/${upstream.graphVersion}/me/accounts`;
  const pages = new Map<string, LoginPage>();
  const cursors = new Set<string>();
  for (let calls = 0; calls < CALLS_MAX; calls++) {
    const after = [...cursors].at(-1);
    const query = {
      fields: PAGE_FIELDS,
      limit: String(PAGE_SIZE),
      ...(after === undefined ? {} : { after }),
      ...appSecretProof(appSecret, token),
    };
    const answer = await callGraph(http, { method: "GET", url, token, query }, readPages);
    if (answer.kind !== "listed") return answer;
    for (const page of answer.pages) pages.set(page.pageId, page);
    if (answer.next === null) break;
    if (cursors.has(answer.next)) return unknown;
    cursors.add(answer.next);
  }
  return { kind: "listed", pages: [...pages.values()] };
}

/** @returns null when the list or a page of it is malformed */
function readPages(
  body: JsonObject,
): { readonly kind: "listed"; readonly pages: readonly LoginPage[]; readonly next: string | null } | null {
  if (!Array.isArray(body.data)) return null;
  const pages = body.data.map(asObject);
  if (pages.some((page) => page === null)) return null;
  const offered = pages.filter((page) => page !== null && mayMessage(page)).map((page) => page && readPage(page));
  if (offered.some((page) => page === null)) return null;
  return { kind: "listed", pages: offered.filter((page) => page !== null), next: readNextPage(body) };
}

/** Whether the person may act for the page's messages, with a token of the page. */
function mayMessage({ tasks, access_token }: JsonObject): boolean {
  return access_token !== undefined && (readNames(tasks) ?? []).some((task) => MESSAGING_TASKS.has(task));
}

function readPage(page: JsonObject): LoginPage | null {
  const pageId = readAccountId(page.id);
  const token = readToken(page.access_token);
  const name = readDisplayName(page.name, NAME_CHARS_MAX);
  const linked = asObject(page.instagram_business_account);
  const instagram = linked && readInstagram(linked);
  if (pageId === null || token === null || name === null || (linked && readAccountId(linked.id) === null)) return null;
  const username = readDisplayName(page.username, USERNAME_CHARS_MAX);
  return { pageId, name, username, pictureUrl: pagePicture.read(page), token, instagram };
}

/** @returns null without a user name, which the platform leaves out where the person did not grant it */
function readInstagram(account: JsonObject): LoginPage["instagram"] {
  const externalId = readAccountId(account.id);
  const username = readDisplayName(account.username, USERNAME_CHARS_MAX);
  if (externalId === null || username === null) return null;
  const displayName = readDisplayName(account.name, NAME_CHARS_MAX) ?? username;
  return { externalId, username, displayName, pictureUrl: instagramPicture.read(account) };
}
