import { beforeAll, describe, expect, it } from "vitest";
import { openLoginToken } from "#features/access/flows/sign-in/login-link.ts";
import { sealInviteLink } from "#features/access/flows/team/invite-link.ts";
import { decodeMail } from "#features/access/queue.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import type { Invite } from "#features/access/rules/team.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { auditOf, sampleInvite } from "../../features/access/store/support/team-samples.ts";
import { signedRequest } from "../../platforms/graph/webhooks/signed-requests.ts";
import { newSourceIp } from "../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openApiApp } from "../../support/routes/api-app.ts";
import { LOGIN_KEYS, openRouteApps, type RouteApps } from "./apps.ts";
import { openRouteCallers } from "./callers.ts";
import { documentRead, documentReads, readTable } from "./document-reads.ts";
import { openRouteWorld, type RouteWorld } from "./world.ts";

// A link that a person received, or that someone else made, has what is alive: another browser that opens it must not use
// it. Each GET gets all of it: a sign-in link's token with an invite, the state of a login, the link of the invite, the
// code of a data deletion, the secret of a hold, and the session of the person.

const html = { accept: "text/html" };
const requests = {
  "a page of another site": { method: "GET", headers: { ...html, "sec-fetch-site": "cross-site" } },
  "a page of another origin of the site": { method: "GET", headers: { ...html, "sec-fetch-site": "same-site" } },
  "a link in a mail": { method: "GET", headers: { ...html, "sec-fetch-site": "none", "sec-fetch-user": "?1" } },
  "a browser that does not say it": { method: "GET", headers: html },
  "a HEAD request": { method: "HEAD", headers: html },
  "a prefetch": { method: "GET", headers: { ...html, "sec-fetch-site": "none", "sec-purpose": "prefetch" } },
} as const;
type LiveRequest = (typeof requests)[keyof typeof requests];
let apps: RouteApps;
let world: RouteWorld;
/** The headers of each browser, without a cookie that binds anything. */
let browsers: Readonly<Record<"without a session" | "of the signed-in owner", { readonly cookie?: string }>>;
/** The parameters that a GET gets, and the code in the path of the page about a data deletion. */
let live: { readonly query: Readonly<Record<string, string>>; readonly code: string };
let states: Readonly<Record<"instagram" | "messenger", string>>;
/** The cookies of the browser that requested the link and started both logins. */
let bindingCookies: string;
let invite: Invite;
const mails: string[] = [];
const exchangedCodes: string[] = [];

const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  const api = await openApiApp(testEnv);
  world = await openRouteWorld(testEnv, api);
  const { "an owner": owner } = await openRouteCallers(testEnv, api, world);
  if (!owner) throw new Error("The owner is missing.");
  apps = await openRouteApps(testEnv, api, async () => null, {
    docsPaths: ["/docs", "/docs.md", "/docs/guides/unknown", "/llms.txt", "/llms-full.txt"],
    onMail: (body) => mails.push(body),
    onLogin: (code) => exchangedCodes.push(code),
  });
  const { cookie } = owner.headers as { readonly cookie: string };
  browsers = { "without a session": {}, "of the signed-in owner": { cookie } };

  const post = async (app: keyof RouteApps, path: string, init: RequestInit) => {
    const request = new Request(`http://gateway${path}`, { method: "POST", ...init });
    const response = await apps[app].fetch(request, { sourceIp: newSourceIp() });
    expect(response.status, path).toBe(200);
    return response;
  };
  const cookies: string[] = [];
  const saveCookies = (response: Response) =>
    cookies.push(...response.headers.getSetCookie().map((text) => text.split(";")[0] ?? ""));

  invite = sampleInvite(world.own);
  const by = { audit: auditOf("invite.create"), actor: null, memberId: null };
  const hashes = addressHashes(await testEnv.addressKeys(), invite.email);
  await inviteStore(testEnv.table).create(invite, { ...by, addressHashes: hashes });
  const inviteLink = sealInviteLink(LOGIN_KEYS, invite.id, testEnv.now());
  const linkRequest = { email: invite.email, redirect: "/", invite: inviteLink };
  saveCookies(await post("console", "/console/auth/request", { body: JSON.stringify(linkRequest) }));

  const startLogin = async (platform: "instagram" | "messenger") => {
    const path = `/oauth/${platform}/start?tenant=${world.own}`;
    const response = await post("connect", path, { headers: owner.headers });
    saveCookies(response);
    const { data } = (await response.json()) as { data: { url: string } };
    return new URL(data.url).searchParams.get("state") ?? "";
  };
  states = { instagram: await startLogin("instagram"), messenger: await startLogin("messenger") };
  bindingCookies = cookies.join("; ");

  const signed = signedRequest({ algorithm: "HMAC-SHA256", user_id: "9001" }, "m");
  const deletion = await post("connect", "/platform/data-deletion", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ signed_request: signed }).toString(),
  });
  const { confirmation_code: code } = (await deletion.json()) as { confirmation_code: string };
  const hold = world.ownIds.hold;
  const secret = `secret of ${hold}`;
  await post("checkPage", `/verify/holds/${hold}`, { body: JSON.stringify({ secret }) });
  const token = await tokenOf(mails[0] ?? "");
  live = {
    query: { token, code: "the-code", invite: inviteLink, hold, secret, t: secret, confirmation_code: code },
    code,
  };
});

async function tokenOf(body: string): Promise<string> {
  const mail = decodeMail(body);
  const link = mail?.kind === "sign_in" ? await loginTokenStore(testEnv.table).get(mail.loginId) : null;
  const token = mail?.kind === "sign_in" && link ? openLoginToken(LOGIN_KEYS, mail.loginId, link) : null;
  if (!token) throw new Error("No link was mailed.");
  return token;
}

/** Opens a path with all that is alive. */
async function open(path: string, { method, headers }: LiveRequest, cookie: string | undefined) {
  const { app, url: text } = documentRead(path, world);
  const url = new URL(text.replace("/data-deletion/unknown", `/data-deletion/${live.code}`));
  const state = path.includes("messenger") ? states.messenger : states.instagram;
  for (const [name, value] of Object.entries({ ...live.query, state })) url.searchParams.set(name, value);
  const request = new Request(url, { method, headers: { ...headers, ...(cookie ? { cookie } : {}) } });
  const response = await apps[app].fetch(request, { sourceIp: newSourceIp() });
  return { status: response.status, cookies: response.headers.getSetCookie(), body: await response.text() };
}

describe.each(documentReads)("GET %s with all that is alive", (path) => {
  it("the page with all that is alive changes nothing in a browser without the cookie that binds it", async () => {
    const before = await readTable(testEnv);
    exchangedCodes.length = 0;
    for (const [name, request] of Object.entries(requests)) {
      for (const [browser, { cookie }] of Object.entries(browsers)) {
        const { status, cookies } = await open(path, request, cookie);
        expect(status, `${name}, ${browser}`).toBeLessThan(500);
        expect(cookies, `${name}, ${browser}`).toEqual([]);
      }
    }
    expect(await readTable(testEnv)).toBe(before);
    expect(exchangedCodes).toEqual([]);
  });
});

it("what is alive is shown as such: the page about a data deletion, and the question before a sign-in", async () => {
  const request = requests["a link in a mail"];
  expect((await open("/platform/data-deletion/{code}", request, undefined)).status).toBe(200);
  expect((await open("/console/auth/verify", request, undefined)).status).toBe(200);
});

it("exactly a sign-in link and the ends of both logins go on at once in the browser that they are bound to", async () => {
  const changes: string[] = [];
  exchangedCodes.length = 0;
  const openAll = async (request: LiveRequest) => {
    for (const path of documentReads) {
      for (const [browser, { cookie }] of Object.entries(browsers)) {
        const before = await readTable(testEnv);
        await open(path, request, [cookie, bindingCookies].filter(Boolean).join("; "));
        if ((await readTable(testEnv)) !== before) changes.push(`${path} ${browser}`);
      }
    }
  };
  await openAll(requests["a HEAD request"]);
  await openAll(requests["a prefetch"]);
  expect([changes, exchangedCodes]).toEqual([[], []]);
  await openAll(requests["a link in a mail"]);
  expect(changes.sort()).toEqual([
    "/console/auth/verify without a session",
    "/oauth/instagram/callback of the signed-in owner",
    "/oauth/messenger/callback of the signed-in owner",
  ]);
  expect(exchangedCodes).toEqual(["the-code", "the-code"]);
  expect((await inviteStore(testEnv.table).get(world.own, invite.id))?.status).toBe("accepted");
});
