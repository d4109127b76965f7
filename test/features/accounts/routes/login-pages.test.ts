import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { allRows } from "../../../support/flows/data-subject.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import type { TestSession } from "../../../support/routes/sessions.ts";
import { browser, connectedAccount, openLoginFixture, SECRET_TOKEN, samplePage } from "./support/login-fixture.ts";

const fixture = openedOnce(openLoginFixture);
afterAll(() => fixture.testEnv.close());
const admin = openedEach<TestSession & { readonly tenant: TenantId }>(() => fixture.newMember("admin"));
beforeEach(async () => {
  fixture.connections.length = 0;
  fixture.platform.pages = [samplePage()];
});

/** Logs in at Facebook, up to the choice. */
async function logIn(session: TestSession = admin): Promise<void> {
  const { state, cookie } = await fixture.start("messenger", session);
  const headers = browser(session, cookie);
  const response = await fixture
    .openApp()
    .request(`/oauth/messenger/callback?${new URLSearchParams({ code: "c", state })}`, { headers });
  expect(response.headers.get("location")).toContain("choose=messenger");
}

async function readPages({ headers }: Pick<TestSession, "headers"> = admin, app: FetchApp = fixture.openApp()) {
  const response = await app.request("/oauth/messenger/pages", { headers });
  return [response.status, await response.json()];
}

async function select(body: object, session: Pick<TestSession, "writeHeaders"> = admin, app = fixture.openApp()) {
  const headers = { ...session.writeHeaders, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await app.request("/oauth/messenger/select", init);
  return [response.status, await response.json()];
}

const { pageId } = samplePage();
const instagramId = samplePage().instagram?.externalId ?? "";

describe("the pages of a login", () => {
  it("the pages of a login are listed with their accounts, and which of them are connected", async () => {
    await logIn();
    fixture.platform.pages = [
      samplePage(),
      samplePage({ pageId: "2", name: "Second", username: null, pictureUrl: null, instagram: null }),
    ];
    const messenger = { platform: "messenger", externalId: pageId, connection: "messenger" } as const;
    const connected = connectedAccount({ ...messenger, handle: "h", displayName: "d", pageId });
    const app = fixture.openApp({ accounts: { ...fixture.ports.accounts, list: async () => [connected] } });
    expect(await readPages(admin, app)).toEqual([
      200,
      {
        ok: true,
        data: {
          pages: [
            {
              page_id: pageId,
              name: "A shoe shop",
              messenger: {
                account_key: `messenger#${pageId}`,
                connected: true,
                picture: "https://pictures.example/page.jpg?ext=4102444800",
              },
              instagram: {
                account_key: `instagram#${instagramId}`,
                username: "shoes",
                connected: false,
                picture: "https://pictures.example/shoes.jpg?oe=F4865700",
              },
            },
            {
              page_id: "2",
              name: "Second",
              messenger: { account_key: "messenger#2", connected: false, picture: null },
              instagram: null,
            },
          ],
        },
      },
    ]);
  });

  it("the pages of a login are offered for ten minutes, to this person in this tenant alone", async () => {
    const missing = [400, { error: { code: "oauth_state_invalid" } }];
    expect(await readPages()).toMatchObject(missing);
    await logIn();
    const colleague = await fixture.newMember("owner", admin.tenant);
    expect(await readPages(colleague)).toMatchObject(missing);
    expect(await select({ page_id: pageId, connect: ["messenger"] }, colleague)).toMatchObject(missing);
    fixture.testEnv.advance(10 * MINUTE - 1);
    expect(await readPages()).toMatchObject([200, { ok: true }]);
    fixture.testEnv.advance(1);
    expect(await readPages()).toMatchObject(missing);
    expect(await select({ page_id: pageId, connect: ["messenger"] })).toMatchObject(missing);
  });

  it("the pages of a login name the platform's failure", async () => {
    await logIn();
    const listPages = async () => ({ kind: "unknown" }) as const;
    const logins = { ...fixture.ports.logins, facebook: async () => ({ ...fixture.facebook, listPages }) };
    const failed = [502, { error: { code: "oauth_failed" } }];
    const app = fixture.openApp({ logins });
    expect(await readPages(admin, app)).toMatchObject(failed);
    expect(await select({ page_id: pageId, connect: ["messenger"] }, admin, app)).toMatchObject(failed);
  });

  it("the pages of a login wait with a token that no row shows, and that opens in no other row", async () => {
    await logIn();
    const rows = (await allRows(fixture.testEnv)).filter(({ PK }) => PK.startsWith("OC#"));
    expect(
      JSON.stringify(rows.map((row) => ({ ...row, tk: Buffer.from(row.tk as Uint8Array).toString() }))),
    ).not.toContain(SECRET_TOKEN);
    const choice = await fixture.ports.pageChoices.get(admin.tenant, admin.userId, fixture.testEnv.now());
    if (!choice) throw new Error("The choice is missing.");
    const stranger = await fixture.newMember("admin");
    const pageChoices = { get: async () => choice, save: async () => {} };
    const [status] = await readPages(stranger, fixture.openApp({ pageChoices }));
    expect(status).toBe(500);
  });
});

it("a selected page connects the page's own account and the linked one, with the token of the page", async () => {
  await logIn();
  const [status, body] = await select({ page_id: pageId, connect: ["instagram", "messenger"] });
  expect([status, body]).toMatchObject([
    200,
    { data: { accounts: [{ account_key: `messenger#${pageId}` }, { account_key: `instagram#${instagramId}` }] } },
  ]);
  const common = { tenant: admin.tenant, token: "EAAG-page-token", tokenExpiresAt: null, authorizedBy: ["7001"] };
  expect(fixture.connections).toMatchObject([
    {
      ...common,
      account: {
        platform: "messenger",
        externalId: pageId,
        connection: "messenger",
        handle: "a.shoe.shop",
        displayName: "A shoe shop",
        pageId,
      },
      pictureUrl: "https://pictures.example/page.jpg?ext=4102444800",
    },
    {
      ...common,
      account: {
        platform: "instagram",
        externalId: instagramId,
        connection: "instagram_page",
        handle: "shoes",
        displayName: "Shoes",
        pageId,
      },
      pictureUrl: "https://pictures.example/shoes.jpg?oe=F4865700",
    },
  ]);
});

it("a selected page has its name for a handle where it has no username, and connects what was chosen alone", async () => {
  await logIn();
  fixture.platform.pages = [samplePage({ username: null })];
  await select({ page_id: pageId, connect: ["messenger", "messenger"] });
  expect(fixture.connections.map(({ account }) => account)).toMatchObject([
    { platform: "messenger", handle: "A shoe shop" },
  ]);
});

it.each([
  ["a page that is not offered", { page_id: "999", connect: ["messenger"] }, "page_id"],
  ["no account", { page_id: pageId, connect: [] }, "connect"],
  ["an unknown account", { page_id: pageId, connect: ["whatsapp"] }, "connect[0]"],
  ["three accounts", { page_id: pageId, connect: ["messenger", "instagram", "messenger"] }, "connect"],
  ["no page", { connect: ["messenger"] }, "page_id"],
  ["a page as a number", { page_id: 1, connect: ["messenger"] }, "page_id"],
])("a selected page is refused for %s", async (_name, body, field) => {
  await logIn();
  expect(await select(body)).toMatchObject([400, { error: { code: "invalid_request", errors: [{ field }] } }]);
  expect(fixture.connections).toEqual([]);
});

it("a selected page is refused for the Instagram account of a page that has none, and then connects nothing", async () => {
  await logIn();
  fixture.platform.pages = [samplePage({ instagram: null })];
  expect(await select({ page_id: pageId, connect: ["messenger", "instagram"] })).toMatchObject([
    400,
    { error: { errors: [{ field: "connect" }] } },
  ]);
  expect(fixture.connections).toEqual([]);
});

it("a selected page is refused once the page is no longer the person's", async () => {
  await logIn();
  fixture.platform.pages = [];
  expect(await select({ page_id: pageId, connect: ["messenger"] })).toMatchObject([400, { ok: false }]);
});

it.each(["account_in_use", "account_limit"] as const)(
  "a selected page ends with the first account that is refused: %s",
  async (code) => {
    await logIn();
    const app = fixture.openApp({ connectAccount: async () => refuse(code) });
    expect(await select({ page_id: pageId, connect: ["messenger", "instagram"] }, admin, app)).toMatchObject([
      409,
      { error: { code, detail: "" } },
    ]);
  },
);

it("a selected page needs the CSRF token", async () => {
  await logIn();
  const forged = { writeHeaders: { ...admin.headers, "x-csrf-token": "x" } };
  expect(await select({ page_id: pageId, connect: ["messenger"] }, forged)).toMatchObject([
    403,
    { error: { code: "csrf_failed" } },
  ]);
});
