import type { BrowserContext, Page } from "playwright-core";
import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openedBrowser, waitForHeading } from "../../web/support/page-visit.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

// A person signs in: a link from the mailbox, cookies, a write with the CSRF token, and the end of every session.

const OWNER = "owner@local.invalid";
const STRANGER = "stranger@example.com";
const INVITED = "ana@example.com";

/** What no log may contain. */
const secrets: string[] = [OWNER, STRANGER, INVITED];

interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

const stack = openedOnce(openSharedStack);
const browser = openedBrowser();

/** All mails of the stack, the newest first. */
async function mails(): Promise<readonly Mail[]> {
  return (await stack.local<{ mails: Mail[] }>("GET", "/mail")).mails;
}

/** The link of the next mail, which must go to this address. */
async function linkOfNextMail(email: string, causeMail: () => Promise<unknown>): Promise<string> {
  const before = (await mails()).length;
  await causeMail();
  const mail = await waitFor("the mail", async () => {
    const all = await mails();
    return all.length > before ? all[0] : null;
  });
  expect(mail.to).toEqual([email]);
  const [link = "", ...others] = mail.text.match(/https?:\S+/g) ?? [];
  expect(others).toEqual([]);
  return link;
}

/** Requests a link on the sign-in page. @returns the link of the mail */
async function requestLink(
  page: Page,
  email: string,
  pageUrl = `${stack.info.base_url}/console/auth/sign-in`,
): Promise<string> {
  await page.goto(pageUrl);
  const link = await linkOfNextMail(email, async () => {
    await page.getByRole("textbox").fill(email);
    await page.getByRole("button").click();
  });
  secrets.push(new URL(link).searchParams.get("token") ?? "");
  return link;
}

/** Calls the API as a script of the console does. The CSRF token comes from the cookie that scripts can read. */
async function call(
  page: Page,
  method: string,
  path: string,
  { csrf = "token", body }: { csrf?: "token" | "none" | "wrong"; body?: object } = {},
) {
  const token = /(?:^|; )console_csrf=([^;]+)/.exec(await page.evaluate<string>("document.cookie"))?.[1] ?? "";
  const values = { token, none: null, wrong: `${token.slice(1)}x` };
  return page.evaluate(
    async ([method, path, csrf, json]) => {
      const headers = {
        ...(csrf === null ? {} : { "x-csrf-token": csrf }),
        ...(json === null ? {} : { "content-type": "application/json" }),
      };
      const answer = await fetch(path, { method, headers, body: json });
      const body = (await answer.json()) as { data?: Record<string, unknown>; error?: { code: string } };
      return { status: answer.status, data: body.data, code: body.error?.code };
    },
    [method, path, values[csrf], body ? JSON.stringify(body) : null] as const,
  );
}

async function openSession(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(await requestLink(page, OWNER));
  return { context, page };
}

it("a link from the mailbox signs in once, and its cookies authorize a write with the CSRF token", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const link = await requestLink(page, OWNER);
  await page.goto(link);
  expect(new URL(page.url()).origin).toBe(new URL(stack.info.base_url).origin);
  expect(page.url()).not.toContain("token");

  const cookies = await context.cookies();
  secrets.push(...cookies.map(({ value }) => value));
  const attributes = { domain: "127.0.0.1", path: "/", sameSite: "Lax", secure: false };
  expect(cookies.map(({ name }) => name).sort()).toEqual(["console_csrf", "console_session", "console_sign_in"]);
  expect(cookies.find(({ name }) => name === "console_session")).toMatchObject({ ...attributes, httpOnly: true });
  expect(cookies.find(({ name }) => name === "console_csrf")).toMatchObject({ ...attributes, httpOnly: false });
  expect(await page.evaluate("document.cookie")).toMatch(/^console_csrf=[\w-]+$/);

  expect(await call(page, "GET", "/console/me")).toMatchObject({
    status: 200,
    data: { email: OWNER, tenant: "demo", tenants: ["demo"] },
  });
  expect(await call(page, "POST", "/v1/keys", { csrf: "none" })).toMatchObject({ status: 403, code: "csrf_failed" });
  expect(await call(page, "POST", "/v1/keys", { csrf: "wrong" })).toMatchObject({ status: 403, code: "csrf_failed" });
  const { status, data } = await call(page, "POST", "/v1/keys");
  expect(status).toBe(200);
  expect(await call(page, "DELETE", `/v1/keys/${data?.id}`)).toMatchObject({ status: 200 });

  const other = await (await browser.newContext()).newPage();
  const response = await other.goto(link);
  expect(response?.status()).toBe(401);
  expect(await other.context().cookies()).toEqual([]);
});

it("a sign-out in one tab ends the other tab and the session in another browser", async () => {
  const { context, page } = await openSession();
  const tab = await context.newPage();
  await tab.goto(`${stack.info.base_url}/console/me`);
  const elsewhere = (await openSession()).page;
  for (const each of [tab, elsewhere]) expect(await call(each, "GET", "/console/me")).toMatchObject({ status: 200 });

  expect(await call(page, "POST", "/console/auth/logout", { csrf: "none" })).toMatchObject({
    status: 403,
    code: "csrf_failed",
  });
  expect(await call(tab, "GET", "/console/me")).toMatchObject({ status: 200 });
  expect(await call(page, "POST", "/console/auth/logout")).toMatchObject({ status: 200, data: { signed_out: true } });
  expect((await context.cookies()).map(({ name }) => name)).toEqual(["console_sign_in"]);
  for (const each of [page, tab, elsewhere]) {
    expect(await call(each, "GET", "/console/me")).toMatchObject({ status: 401, code: "unauthorized" });
    expect(await call(each, "POST", "/v1/keys")).toMatchObject({ status: 401, code: "unauthorized" });
  }
});

it("an invited person signs in from the page that the mail links to, and is a member", async () => {
  const { page } = await openSession();
  const body = { email: INVITED, role: "agent" };
  const signInPage = await linkOfNextMail(INVITED, async () => {
    expect(await call(page, "POST", "/console/invites", { body })).toMatchObject({ status: 201 });
  });
  const agent = await (await browser.newContext()).newPage();
  await agent.goto(await requestLink(agent, INVITED, signInPage));
  expect(await call(agent, "GET", "/console/me")).toMatchObject({
    status: 200,
    data: { email: INVITED, tenant: "demo" },
  });
  expect(await call(agent, "POST", "/v1/keys")).toMatchObject({ status: 403, code: "forbidden" });
});

it("an unknown address gets the same answer on the page, and no mail", async () => {
  const before = (await mails()).length;
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${stack.info.base_url}/console/auth/sign-in`);
  await page.getByRole("textbox").fill(STRANGER);
  await page.getByRole("button").click();
  await waitForHeading(page, "Check your mail");
  await waitUntilIdle(stack);
  expect(await mails()).toHaveLength(before);
});

it("the functions logged no failure, and no address, link or cookie", () => {
  const log = stack.log();
  expect(failureLines(log)).toEqual([]);
  // Three addresses, five links, the two cookies of a session and that of a browser.
  expect(secrets.filter(Boolean)).toHaveLength(11);
  for (const secret of secrets) expect(log.includes(secret)).toBe(false);
});
