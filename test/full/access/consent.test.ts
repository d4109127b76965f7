import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runAdmin } from "../../e2e/support/admin.ts";
import { type LocalStack, openSharedStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { testBrowser } from "../../web/support/browser.ts";
import { endVisits } from "../../web/support/page-visit.ts";

// A stranger, the owner of the tenant demo, wants a person to connect an account to it. The person has a tenant of
// their own. Each way to direct a browser is tried: a page of another site and of another origin of the same site, a
// link without a page, as in a mail, and a frame.

const STRANGER = "owner@local.invalid";
const platforms = { instagram: "Instagram", messenger: "Facebook" } as const;
const ways = ["a page of another site", "a page of another origin", "a link in a mail", "a frame"] as const;
type Way = (typeof ways)[number];

let stack: LocalStack;
let browser: Browser;
let site: Server;
beforeAll(async () => {
  [stack, browser] = await Promise.all([openSharedStack(), testBrowser()]);
  site = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://site");
    const url = (searchParams.get("url") ?? "").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    response.setHeader("content-type", "text/html");
    response.end(
      searchParams.has("frame") ? `<iframe src="${url}"></iframe>` : `<a href="${url}">A present for you</a>`,
    );
  });
  await new Promise<void>((resolve) => site.listen(0, resolve));
}, 60_000);
afterAll(async () => {
  site.close();
  await stack?.stop();
});
afterEach(() => endVisits(browser));

const mails = async () => (await stack.local<{ mails: { to: string[]; text: string }[] }>("GET", "/mail")).mails;

/** The link of the next mail to an address. */
async function linkOfNextMail(email: string, part: string, causeMail: () => Promise<unknown>): Promise<string> {
  const isOf = (mail: { to: string[]; text: string }) => mail.to.includes(email) && mail.text.includes(part);
  const before = (await mails()).filter(isOf).length;
  await causeMail();
  const mail = await waitFor("the mail", async () => {
    const all = (await mails()).filter(isOf);
    return all.length > before ? all[0] : null;
  });
  return /https?:\S+/.exec(mail.text)?.[0] ?? "";
}

/** Requests a sign-in link by the page, and does not open it. */
async function requestLink(page: Page, email: string, start = `${stack.info.base_url}/console/auth/sign-in`) {
  await page.goto(start);
  return linkOfNextMail(email, "/console/auth/verify", async () => {
    await page.getByRole("textbox").fill(email);
    await page.getByRole("button").click();
  });
}

/** A browser in which a person is signed in. */
async function signIn(email: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(await requestLink(page, email));
  return { context, page };
}

/** Opens a URL in a tab, in one of the ways. @returns what the person sees, and every URL that the browser asked for */
async function lead(context: BrowserContext, way: Way, url: string): Promise<{ page: Page; urls: string[] }> {
  const page = await context.newPage();
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  const { port } = site.address() as AddressInfo;
  const host = way === "a page of another site" ? "localhost" : "127.0.0.1";
  const query = new URLSearchParams({ url, ...(way === "a frame" ? { frame: "" } : {}) });
  if (way === "a link in a mail") {
    await page.goto(url);
  } else {
    await page.goto(`http://${host}:${port}/?${query}`);
    if (way !== "a frame") await page.getByRole("link").click();
  }
  await page.waitForLoadState("networkidle");
  return { page, urls };
}

/** The email address of the person whose session a browser has. */
async function personOf(context: BrowserContext): Promise<string | null> {
  const response = await context.request.get(`${stack.info.base_url}/console/me`);
  return response.ok() ? (await response.json()).data.email : null;
}

async function accountsOfDemo(): Promise<string> {
  return JSON.stringify((await stack.api("GET", "/v1/accounts")).body);
}

const startOf = (platform: string, tenant: string) =>
  `${stack.info.base_url}/oauth/${platform}/start?${new URLSearchParams({ tenant })}`;
const isOfPlatform = (url: string) => url.startsWith(stack.info.simulator_url);

it("the link of a stranger's own account signs no one in by itself, so that no account is connected", {
  timeout: 120_000,
}, async () => {
  const strangersTab = await (await browser.newContext()).newPage();
  const link = await requestLink(strangersTab, STRANGER);
  const before = await accountsOfDemo();
  await runAdmin(stack.dataDir, "tenant", "create", "harbor", "--owner", "mara@example.com", "--name", "Harbor");
  const victim = await signIn("mara@example.com");
  for (const context of [await browser.newContext(), victim.context]) {
    const person = await personOf(context);
    for (const way of ways) {
      const { page } = await lead(context, way, link);
      expect(await personOf(context), way).toBe(person);
      if (way !== "a frame") {
        expect(await page.getByRole("heading").innerText(), way).toBe("Sign in to Parley?");
        expect(await page.getByText("o…@local.invalid").count(), way).toBe(1);
        expect(await page.getByText("This browser is signed in as mara@example.com.").count()).toBe(person ? 1 : 0);
      }
      for (const platform of Object.keys(platforms)) {
        const { urls } = await lead(context, way, startOf(platform, "demo"));
        expect(urls.filter(isOfPlatform), `${platform}, ${way}`).toEqual([]);
      }
    }
  }
  expect(await accountsOfDemo()).toBe(before);
  // The press is the person's own act. It says whose session ends.
  const { page } = await lead(victim.context, "a link in a mail", link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/app$/);
  expect(await personOf(victim.context)).toBe(STRANGER);
});

describe.each(["owner", "admin", "agent"] as const)("the invite of a stranger, as %s", (role) => {
  it("the invite of a stranger connects nothing by a visited page, before it is accepted and after", {
    timeout: 120_000,
  }, async () => {
    const email = `${role}@shop.example`;
    await runAdmin(stack.dataDir, "tenant", "create", `shop-${role}`, "--owner", email, "--name", "Shop");
    // The person is the owner of a tenant before the stranger's invite.
    await signIn(email);
    const stranger = await signIn(STRANGER);
    const csrf = (await stranger.context.cookies()).find(({ name }) => name === "console_csrf")?.value ?? "";
    await linkOfNextMail(email, "?invite=", () =>
      stranger.context.request.post(`${stack.info.base_url}/console/invites?tenant=demo`, {
        headers: { "x-csrf-token": csrf },
        data: { email, role },
      }),
    );
    const { context, page: tab } = await signIn(email);
    const before = await accountsOfDemo();
    const visitAll = async (
      see: (visit: { page: Page; urls: string[] }, platform: keyof typeof platforms, way: Way) => Promise<void>,
    ) => {
      for (const platform of Object.keys(platforms) as (keyof typeof platforms)[]) {
        for (const way of ways) {
          const { page, urls } = await lead(context, way, startOf(platform, "demo"));
          expect(urls.filter(isOfPlatform), `${platform}, ${way}`).toEqual([]);
          if (way !== "a frame") await see({ page, urls }, platform, way);
          await page.close();
        }
      }
    };
    // The person is a member of the own tenant alone: the invite waits.
    const isRefused = async ({ urls }: { urls: string[] }) =>
      expect(urls.filter((url) => url.includes("error=forbidden"))).toHaveLength(1);
    await visitAll(isRefused);
    await tab.goto(`${stack.info.base_url}/console/auth/signed-in`);
    await tab.getByLabel("Your name").fill("Sam");
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.getByText(`Invited by ${STRANGER}`).waitFor();
    await tab.getByRole("button", { name: "Accept" }).click();
    await waitFor("the membership", async () => {
      const me = await context.request.get(`${stack.info.base_url}/console/me`);
      return (await me.json()).data.tenants.includes("demo");
    });
    // A member now. The page names the workspace and who invited the person.
    await visitAll(async ({ page, urls }, platform, way) => {
      if (role === "agent") return isRefused({ urls });
      expect(await page.getByRole("heading").innerText(), way).toBe(`Connect with ${platforms[platform]}?`);
      const details = await page.locator("dd").allInnerTexts();
      expect(details).toEqual([expect.stringMatching(/^Demo\s+demo$/), email, STRANGER]);
    });
    expect(await accountsOfDemo()).toBe(before);
    if (role === "agent") return;
    // One press redirects to the platform.
    const { page, urls } = await lead(context, "a page of another site", startOf("instagram", "demo"));
    await page.getByRole("link", { name: "Continue with Instagram" }).click();
    await page.waitForURL(isOfPlatformUrl);
    expect(urls.filter(isOfPlatform)).not.toEqual([]);
  });
});

function isOfPlatformUrl(url: URL): boolean {
  return isOfPlatform(url.href);
}
