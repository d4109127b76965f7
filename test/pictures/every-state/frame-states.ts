import type { PictureState } from "./states.ts";
import type { Visit } from "./visit.ts";

const LONG = "Keramikwerkstatt-und-Töpferscheibenverleihgesellschaft Marlow & Töchter";
const tenants = (...list: object[]) => list.map((each, at) => ({ ...workspace, id: `other-${at}`, ...each }));
const workspace = { name: "Marlow Ceramics", status: "active", role: "owner", invited_by: "cli" };
const invites = [
  { id: "inv_1", tenant: "north", name: "North Kiln", role: "agent", invited_by_email: "ben@example.com" },
  { id: "inv_2", tenant: "south", name: LONG, role: "admin", invited_by_email: null },
];

const endingSession = ({ answers }: Visit) =>
  answers.change("GET /console/me", (me) => ({ ...me, session_expires_at: "2026-11-26T14:16:00.000Z" }));

/** The page around the inbox, the pages without a workspace, and the page of the accounts. */
export const frameStates: readonly PictureState[] = [
  {
    name: "session-bar",
    steps: [endingSession, (visit) => visit.thread("Priya Nair")],
    shown: ".strip",
  },
  {
    name: "session-ended",
    steps: [
      (visit) => visit.thread("Priya Nair"),
      ({ answers }) => answers.refuse("GET /console/me", 401, "unauthorized"),
      ({ answers }) => answers.refuse("PATCH /v1/conversations/*", 401, "unauthorized"),
      (visit) => visit.press(/^Done/),
    ],
    shown: "dialog[open]",
  },
  {
    name: "offline",
    steps: [(visit) => visit.thread("Priya Nair"), ({ answers }) => answers.context.setOffline(true)],
    shown: ".strip",
  },
  {
    name: "reconnecting",
    steps: [(visit) => visit.thread("Priya Nair"), ({ answers }) => answers.endStream()],
    shown: ".strip",
  },
  {
    name: "outdated",
    steps: [
      ({ answers }) =>
        answers.context.route(
          ({ pathname }) => pathname === "/app",
          async (route) => {
            if (route.request().isNavigationRequest()) return route.continue();
            const response = await route.fetch();
            const body = (await response.text()).replace(/(\/app\/assets\/[\w-]+)\.js/, "$1-newer.js");
            await route.fulfill({ response, body });
          },
        ),
      (visit) => visit.thread("Priya Nair"),
    ],
    shown: ".strip",
  },
  {
    name: "console-fails",
    steps: [
      ({ answers }) => answers.refuse("GET /console/me", 500, "internal_error"),
      (visit) => visit.open("/app/demo/inbox"),
    ],
    shown: ".gate h1",
  },
  {
    name: "no-workspace",
    steps: [
      ({ answers }) => answers.change("GET /console/tenants", () => ({ tenants: [] })),
      (visit) => visit.open("/app"),
    ],
    shown: ".gate form",
  },
  {
    name: "invites",
    steps: [
      ({ answers }) => answers.change("GET /console/tenants", () => ({ tenants: [] })),
      ({ answers }) => answers.change("GET /console/me", (me) => ({ ...me, invites })),
      (visit) => visit.open("/app"),
    ],
    shown: ".invites li",
  },
  {
    name: "choose-workspace",
    steps: [
      ({ answers }) =>
        answers.change("GET /console/tenants", () => ({
          tenants: tenants({}, { name: LONG }, { name: "ورشة الخزف" }),
        })),
      ({ answers }) => answers.change("GET /console/me", (me) => ({ ...me, invites })),
      (visit) => visit.open("/app/unknown/inbox"),
    ],
    shown: ".choices .btn",
  },
  {
    name: "suspended",
    steps: [
      ({ answers }) =>
        answers.change("GET /console/tenants", () => ({
          tenants: tenants({ id: "demo", status: "suspended" }, { name: LONG }),
        })),
      (visit) => visit.open("/app/demo/inbox"),
    ],
    shown: ".gate .btn",
  },
  {
    name: "name",
    steps: [
      ({ answers }) => answers.change("GET /console/me", (me) => ({ ...me, name: null })),
      (visit) => visit.open("/app"),
    ],
    shown: ".gate input",
  },
  { name: "unknown-page", steps: [(visit) => visit.open("/app/demo/weather")], shown: ".gate h1" },
  { name: "profile", steps: [(visit) => visit.list(), (visit) => visit.press("Profile")], shown: ".menu:popover-open" },
  {
    name: "workspace-menu",
    steps: [
      ({ answers }) =>
        answers.change("GET /console/tenants", () => ({ tenants: tenants({ id: "demo" }, { name: LONG }, {}) })),
      (visit) => visit.list(),
      (visit) => visit.press("Workspaces"),
    ],
    shown: ".menu:popover-open",
  },
  {
    name: "keys",
    steps: [(visit) => visit.thread("Priya Nair"), ({ page }) => page.keyboard.press("?")],
    shown: "dialog[open]",
  },
  {
    name: "palette",
    steps: [
      (visit) => visit.list(),
      ({ page }) => page.locator(".row").first().waitFor(),
      ({ page }) => page.keyboard.press("Control+k"),
    ],
    shown: "[role=option]",
  },
  {
    name: "palette-nothing",
    steps: [
      (visit) => visit.list(),
      ({ page }) => page.locator(".row").first().waitFor(),
      ({ page }) => page.keyboard.press("Control+k"),
      ({ page }) => page.locator(".palette-field").fill("zzzz"),
    ],
    shown: ".palette-field",
  },
  { name: "accounts", steps: [(visit) => visit.open("/app/demo/accounts")], shown: ".account-list li" },
  {
    name: "accounts-troubled",
    steps: [
      ({ answers }) =>
        answers.change<{ accounts: object[] }>("GET /v1/accounts", ({ accounts }) => ({
          accounts: accounts.map((account, at) => ({ ...account, ...troubles[at] })),
        })),
      (visit) => visit.open("/app/demo/accounts?error=access_denied"),
    ],
    shown: ".account-list li",
  },
  {
    name: "accounts-none",
    steps: [
      ({ answers }) => answers.give("GET /v1/accounts", { accounts: [] }),
      (visit) => visit.open("/app/demo/accounts"),
    ],
    shown: ".blank-page",
  },
  {
    name: "accounts-fail",
    steps: [
      ({ answers }) => answers.refuse("GET /v1/accounts", 400, "invalid_request"),
      (visit) => visit.open("/app/demo/accounts"),
    ],
    shown: ".admin [role=alert]",
  },
  {
    name: "accounts-choice",
    steps: [
      ({ answers }) =>
        answers.give("GET /oauth/messenger/pages", {
          pages: [
            {
              page_id: "1",
              name: "Marlow Ceramics",
              messenger: { account_key: "messenger#1", connected: true, picture: null },
              instagram: { account_key: "instagram#2", username: "marlow.ceramics", connected: false, picture: null },
            },
            {
              page_id: "3",
              name: LONG,
              messenger: { account_key: "messenger#3", connected: false, picture: null },
              instagram: null,
            },
          ],
        }),
      (visit) => visit.open("/app/demo/accounts?choose=messenger"),
    ],
    shown: ".page-choice label",
  },
  {
    name: "accounts-disconnect",
    steps: [
      (visit) => visit.open("/app/demo/accounts"),
      ({ page }) => page.locator(".account-list button").first().click(),
      (visit) => visit.press("Disconnect"),
    ],
    shown: "dialog[open] .danger",
  },
  {
    name: "accounts-details",
    steps: [
      (visit) => visit.open("/app/demo/accounts"),
      ({ page }) => page.locator(".account-list button").first().click(),
    ],
    shown: ".account-details",
  },
  {
    name: "accounts-connect",
    steps: [(visit) => visit.open("/app/demo/accounts"), (visit) => visit.press("Connect an account")],
    shown: ".connect-ways",
  },
];

const troubles: readonly object[] = [
  {
    status: "needs_reauth",
    status_detail: "Error validating access token: the user changed the password",
    subscribed_at: "2026-11-26T03:10:00.000Z",
  },
  { status: "refresh_failing", display_name: LONG, refresh_error: "(#190) Session has expired" },
  { status: "restricted", missing_since: "2026-11-26T10:00:00.000Z" },
];
