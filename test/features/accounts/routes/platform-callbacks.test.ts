import { describe, expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import {
  dataDeletionPageRoutes,
  type PlatformCallbackPorts,
  platformCallbackRoutes,
} from "#features/accounts/routes/platform-callbacks.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { readDataDeletionPage } from "../../../../functions/connect/page-files.ts";
import { buildDataDeletionPage } from "../../../../web/build.ts";
import { signedRequest } from "../../../platforms/graph/webhooks/signed-requests.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";
import { receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { builtPage } from "../../../support/routes/built-page.ts";
import { testPlatformCallbackPorts } from "../../../support/routes/platform-callback-ports.ts";
import { openLoginFixture } from "../flows/platform-callbacks/support/login-fixture.ts";

const pageFiles = await builtPage(buildDataDeletionPage, readDataDeletionPage);
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openLoginFixture(testEnv));

function openApp(ports: Partial<PlatformCallbackPorts> = {}): FetchApp {
  return createApp({
    endpoints: [...platformCallbackRoutes, ...dataDeletionPageRoutes],
    ports: { ...testPlatformCallbackPorts(testEnv, fixture.queues.accounts), pageFiles, ...ports },
    credentials: noCredentials,
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
  });
}

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, ports?: Partial<PlatformCallbackPorts>) =>
  openApp(ports).request(path, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
const form = (text: string) => new URLSearchParams({ signed_request: text }).toString();
const second = () => Math.floor(testEnv.now() / SECOND);
/** @param issued_at in seconds; absent by default */
const requestOf = (user_id: unknown, secret = "m", issued_at?: unknown) =>
  form(signedRequest({ algorithm: "HMAC-SHA256", issued_at, user_id }, secret));
const readCode = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];
const tasks = async () =>
  (await receiveAllMessages(testEnv.eventSource, fixture.queues.accounts)).map(({ body }) => decodeAccountTask(body));

describe.each(["/platform/deauthorize", "/platform/data-deletion"])("POST %s", (path) => {
  it.each(["m", "i", "i-before"])(
    "the callback accepts a request that an app signed with a current or the previous secret: %s",
    async (secret) => {
      expect((await post(path, requestOf("1", secret))).status).toBe(200);
    },
  );

  it("the callback refuses another signature, and accepts it once the secret was changed", async () => {
    const changed = requestOf("1", "new");
    expect(await readCode(await post(path, changed))).toEqual([401, "signature_invalid"]);
    const secrets = { meta: ["new", "m"], instagram: [], verifyToken: "" };
    const platformSecrets = async (isStale = false) => (isStale ? secrets : { ...secrets, meta: ["m"] });
    expect((await post(path, changed, { platformSecrets })).status).toBe(200);
    expect(await tasks()).toEqual([]);
  });

  it.each([
    ["an empty body", ""],
    ["another field", "request=1"],
    ["an empty field", "signed_request="],
    ["a field twice", `${requestOf("1")}&${requestOf("1")}`],
    ["a field twice, once encoded", `${requestOf("1")}&signed%5Frequest=1`],
    ["no signature", form("abc")],
    ["JSON", JSON.stringify({ signed_request: "a.b" })],
    ["bytes", new Uint8Array([0xff, 0x00, 0xfe])],
    ["no person", requestOf(undefined)],
    ["a person with a hash sign", requestOf("1#2")],
  ])("the callback answers 400 to %s", async (_what, body) => {
    expect(await readCode(await post(path, body))).toEqual([400, "invalid_request"]);
  });

  it("the callback answers 400 to a request that is more than 5 minutes ahead or older than 7 days, and changes nothing", async () => {
    const user = `${fixture.tenant}7`;
    await fixture.connect("one", [user]);
    for (const difference of [5 * MINUTE + SECOND, -7 * DAY - SECOND, -8 * DAY]) {
      const issuedAt = Math.floor((testEnv.now() + difference) / SECOND) + (difference > 0 ? 1 : 0);
      expect(await readCode(await post(path, requestOf(user, "m", issuedAt)))).toEqual([400, "invalid_request"]);
    }
    expect(await readCode(await post(path, requestOf(user, "m", "soon")))).toEqual([400, "invalid_request"]);
    expect(await tasks()).toEqual([]);
    expect(await fixture.stores.authorizations.list(user)).toHaveLength(1);
    expect(await fixture.auditActions()).not.toContain("platform.data_deletion");
    for (const difference of [5 * MINUTE, -7 * DAY]) {
      const issuedAt = Math.floor((testEnv.now() + difference) / SECOND) + (difference > 0 ? 0 : 1);
      expect((await post(path, requestOf(user, "m", issuedAt))).status).toBe(200);
    }
  });

  it("the callback is about what the login had connected when it was issued, in that second too, and on its arrival without a time", async () => {
    const user = `${fixture.tenant}8`;
    const account = await fixture.connect("one", [user]);
    const connectedIn = second();
    await post(path, requestOf(user, "m", connectedIn - 1));
    expect(await tasks()).toEqual([]);
    expect(await fixture.stores.authorizations.list(user)).toHaveLength(1);
    await post(
      path,
      path.endsWith("deauthorize")
        ? requestOf(user, "m", connectedIn)
        : form(signedRequest({ algorithm: "HMAC-SHA256", user_id: user }, "m")),
    );
    expect(await tasks()).toContainEqual(expect.objectContaining({ op: "disconnect", account }));
  });

  it("the callback answers 413 to a megabyte", async () => {
    expect(await readCode(await post(path, form("A".repeat(1 << 20))))).toEqual([413, "payload_too_large"]);
  });

  it("the callback queues the disconnection of the person's accounts, also by an id that is a long number", async () => {
    const user = "17841405309211844";
    const account = await fixture.connect("one", [user]);
    const json = `{"algorithm":"HMAC-SHA256","user_id":${user}}`;
    expect((await post(path, form(signedRequest(json, "i")))).status).toBe(200);
    expect(await tasks()).toContainEqual(
      expect.objectContaining({ op: "disconnect", tenant: fixture.tenant, account, reason: "platform_deauthorized" }),
    );
  });
});

it("POST /platform/deauthorize answers an empty object", async () => {
  expect(await (await post("/platform/deauthorize", requestOf("1"))).json()).toEqual({});
});

const read = (path: string) => openApp().request(path);
async function requestDeletion(user: string) {
  const response = await post("/platform/data-deletion", requestOf(user));
  return (await response.json()) as { url: string; confirmation_code: string };
}

it("a data deletion answers its code and the URL of its page, without envelope, and the same again", async () => {
  await fixture.connect("one", [`${fixture.tenant}1`]);
  const first = await requestDeletion(`${fixture.tenant}1`);
  expect(first).toEqual({
    url: `https://api.example/platform/data-deletion/${first.confirmation_code}`,
    confirmation_code: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await requestDeletion(`${fixture.tenant}1`)).toEqual(first);
});

it("a data deletion has a page that says whether it is done and when, names no person and has no script", async () => {
  const user = `${fixture.tenant}2`;
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const { url, confirmation_code: code } = await requestDeletion(user);
  const page = await read(new URL(url).pathname);
  const text = await page.text();
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(text).toContain("<h1>Deletion in progress</h1>");
  expect(text).not.toContain("Completed");
  await fixture.settle();
  const done = await (await read(new URL(url).pathname)).text();
  expect(done).toContain("<h1>Deletion completed</h1>");
  expect(done).toMatch(/<dt>Completed<\/dt><dd><time datetime="2026-[^"]+Z">\d+ Oct 2026, \d\d:\d\d UTC<\/time>/);
  for (const html of [text, done]) {
    expect(html).not.toMatch(/<script|\{\{|\son\w+=/);
    for (const name of [user, fixture.tenant, account.externalId, code]) expect(html).not.toContain(name);
  }
});

it("a data deletion has the headers of the check page, and a style sheet of this host", async () => {
  const { url } = await requestDeletion("3");
  for (const path of [new URL(url).pathname, "/platform/data-deletion/unknown"]) {
    const { headers } = await read(path);
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  }
  const style = await read("/platform/data-deletion/style.css");
  expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
});

it("a data deletion of an unknown code is one and the same page, however the code looks", async () => {
  const { confirmation_code: code } = await requestDeletion("4");
  const unknown = [
    "0".repeat(32),
    code.toUpperCase(),
    code.slice(1),
    `${code}0`,
    "a",
    "%23",
    "%00",
    "D",
    "a".repeat(5_000),
  ];
  const pages = new Set<string>();
  for (const text of unknown) {
    const page = await read(`/platform/data-deletion/${text}`);
    expect([text, page.status]).toEqual([text, 404]);
    pages.add(await page.text());
  }
  expect(pages.size).toBe(1);
  expect([...pages][0]).toContain("<h1>Request not found</h1>");
});
