import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { mainScript } from "../../../web/console/frame/build-version.ts";
import { pageTitle } from "../../../web/console/frame/page-title.ts";
import { MemoryStorage } from "./composer/support.ts";

type Session = typeof import("../../../web/console/session/session.ts");
let session: Session;

beforeAll(async () => {
  // The client of the page is made for the page's origin.
  vi.stubGlobal("location", new URL("https://parley.example.com/app"));
  session = await import("../../../web/console/session/session.ts");
  vi.unstubAllGlobals();
});
beforeEach(() => {
  vi.stubGlobal("localStorage", new MemoryStorage());
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => vi.unstubAllGlobals());

it("the sign-in page redirects back to the page that needed it, with its query", () => {
  const path = "/app/acme/accounts?connected=instagram&x=%23";
  const url = new URL(session.signInPage(path), "https://parley.example.com");
  expect(url.pathname).toBe("/console/auth/sign-in");
  expect(url.searchParams.get("redirect")).toBe(path);
});

it.each([
  ["Mia", true],
  ["  Mia  ", true],
  ["山", true],
  ["👍".repeat(80), true],
  ["a".repeat(81), false],
  ["", false],
  ["   ", false],
  ["\u200b\u200d", false],
])("the name “%s” is one: %s", (name, isOne) => {
  expect(session.isName(name)).toBe(isOne);
});

it("the end of a session is said from 15 minutes before", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");
  const ends = (ms: number) => ({ session_expires_at: new Date(now + ms).toISOString() });
  expect(session.endingSoon(ends(15 * 60_000 + 1), now)).toBeNull();
  expect(session.endingSoon(ends(15 * 60_000), now)).toBe(15 * 60_000);
  expect(session.endingSoon(ends(-1_000), now)).toBe(0);
});

it("the workspace that was open last opens first, unless the person has left it or the browser has no storage", () => {
  const workspaces = ["acme", "beta"].map((id) => ({ id, name: id, role: "agent", status: "active" }) as never);
  expect(session.firstWorkspace(workspaces)).toMatchObject({ id: "acme" });
  session.rememberWorkspace("beta");
  expect(session.firstWorkspace(workspaces)).toMatchObject({ id: "beta" });
  session.rememberWorkspace("gone");
  expect(session.firstWorkspace(workspaces)).toMatchObject({ id: "acme" });
  expect(session.firstWorkspace([])).toBeNull();
  const refuse = () => {
    throw new Error("No storage.");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse });
  session.rememberWorkspace("beta");
  expect(session.firstWorkspace(workspaces)).toMatchObject({ id: "acme" });
});

it("a forbidden call of the person themselves is no sign that a role has changed", async () => {
  const types: string[] = [];
  vi.stubGlobal("dispatchEvent", (event: Event) => types.push(event.type));
  let status = 403;
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status })));
  await expect(session.account.request("GET /console/me")).rejects.toMatchObject({ status: 403 });
  status = 401;
  await expect(session.account.request("GET /console/me")).rejects.toMatchObject({ status: 401 });
  expect(types).toEqual(["parley:signed-out"]);
});

it("the title of the page counts who waits and names nothing else", () => {
  expect(pageTitle("0", "Inbox")).toBe("Inbox – Parley");
  expect(pageTitle("200+", "Inbox")).toBe("(200+) Inbox – Parley");
});

it.each([
  ['<script type="module" crossorigin src="/app/assets/index-B1.js"></script>', "/app/assets/index-B1.js"],
  ['<link href="/app/assets/index-B1.css"><script defer src="/app/assets/a.b_c-1.js">', "/app/assets/a.b_c-1.js"],
  ["<script>alert(1)</script>", null],
  ['<script src="https://other.example/app/assets/a.js"></script>', null],
  ["", null],
])("the page %s has the main script %s", (html, script) => {
  expect(mainScript(html)).toBe(script);
});
