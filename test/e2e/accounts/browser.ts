import type { LocalStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

const OWNER = "owner@local.invalid";

/** The mails that the stack sent, newest first. */
export async function readMails(
  stack: LocalStack,
): Promise<readonly { readonly to: string[]; readonly text: string }[]> {
  return (await stack.local<{ mails: [] }>("GET", "/mail")).mails;
}

/** A browser in which the owner of the demo tenant is signed in. It follows no redirects. */
export async function openBrowser(stack: LocalStack) {
  /** By name. */
  const cookies = new Map<string, string>();
  const secrets: string[] = [];

  const browser = {
    /** The codes and states of its logins. */
    secrets: secrets as readonly string[],

    /** Navigates, and stores the cookies of the answer. @returns the answer, not the page it redirects to */
    async visit(url: string, init: RequestInit = {}): Promise<Response> {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { accept: "text/html", cookie, ...(init.headers as Record<string, string>) };
      const response = await fetch(new URL(url, stack.info.base_url), { redirect: "manual", ...init, headers });
      for (const text of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },

    /** A call of the API by a script of a page. */
    async call(method: string, path: string, body?: object) {
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        "x-csrf-token": cookies.get("console_csrf") ?? "",
      };
      const response = await browser.visit(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      return { status: response.status, body: (await response.json()) as { data: never; error?: { code: string } } };
    },

    /** Starts a login and decides on the platform. @returns the URL to which the platform sends the browser */
    async decide(platform: "instagram" | "messenger", decision: Record<string, string>, redirect = "/accounts") {
      // By a link on a page of the console.
      const headers = { "sec-fetch-site": "same-origin" };
      const start = await browser.visit(`/oauth/${platform}/start?redirect=${encodeURIComponent(redirect)}`, {
        headers,
      });
      if (start.status !== 302) throw new Error(`The login does not start: ${start.status}`);
      const dialog = new URL(start.headers.get("location") ?? "");
      for (const [name, value] of Object.entries(decision)) dialog.searchParams.set(name, value);
      const consent = await fetch(dialog, { redirect: "manual" });
      const url = new URL(consent.headers.get("location") ?? "");
      url.hash = "";
      secrets.push(url.searchParams.get("code") ?? "", url.searchParams.get("state") ?? "");
      return url.href;
    },

    /** The path to which an answer redirects. */
    locationOf: async (response: Promise<Response>) =>
      ((await response).headers.get("location") ?? "").replace(stack.info.base_url, ""),
  };

  const before = (await readMails(stack)).length;
  await browser.call("POST", "/console/auth/request", { email: OWNER });
  const mail = await waitFor("the mail", async () => {
    const all = await readMails(stack);
    return all.length > before ? all[0] : null;
  });
  if (mail.to.join() !== OWNER) throw new Error(`The mail is for ${mail.to}.`);
  await browser.visit(/https?:\S+/.exec(mail.text)?.[0] ?? "");
  if (!cookies.has("console_session")) throw new Error("The link does not sign in.");
  return browser;
}
