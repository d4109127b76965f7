import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser } from "../web/support/browser.ts";
import { heading, press, visit } from "../web/support/visit.ts";
import { failuresIn, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { until } from "./support/poll.ts";
import { createHook } from "./support/read-all.ts";
import { openReceiver, type Receiver } from "./support/receiver.ts";

// A held message all the way: a key holds it, a person opens its link in a browser and passes the check, the platform
// gets it once, and the tenant hears of it.

/** Both tabs solve a live message's puzzles at once, on a machine that has other things to do. */
const SOLVING = 60_000;

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
  readonly platform_message_id?: string;
  readonly error?: { readonly code: string; readonly detail: string };
}
interface Sent {
  readonly mid: string;
  readonly request: { readonly message?: { readonly text?: string }; readonly tag?: string };
}

let stack: RunningLocal;
let browser: Browser;
let receiver: Receiver;
let conversation: string;
beforeAll(async () => {
  [stack, browser, receiver] = await Promise.all([startLocal(), launchBrowser(), openReceiver()]);
  await createHook(stack, receiver.url, ["message.sent", "message.failed"]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([stack?.stop(), receiver?.close()]);
});
beforeEach(async () => {
  conversation = await personWroteADayAgo("Mara Lindqvist");
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

async function personWroteADayAgo(person: string): Promise<string> {
  const account = stack.local.accounts.find(({ connection }) => connection === "messenger");
  const [platform, externalId] = account?.account_key.split("#") ?? [];
  const said = { account: externalId, connection: "messenger", person, text: "Is it ready?" };
  const { person: id } = await stack.sim<{ person: string }>("POST", "/person-sends", said);
  await untilIdle(stack);
  await stack.clock("PT25H");
  return `CONV#demo#${platform}#${externalId}#${id}`;
}

async function hold(text: string, key?: string): Promise<Hold> {
  const asked = { conversation_id: conversation, text, actor_id: "console:usr_ann" };
  const { status, body } = await stack.api("POST", "/v1/messages/human-agent", asked, key);
  expect(status).toBe(202);
  return (body.data as unknown as { hold: Hold }).hold;
}

const read = async (id: string): Promise<Hold> =>
  ((await stack.api("GET", `/v1/messages/holds/${id}`)).body.data as unknown as { hold: Hold }).hold;

const sentWith = async (text: string): Promise<Sent[]> =>
  (await stack.sim<{ sent: Sent[] }>("GET", "/sent")).sent.filter(({ request }) => request.message?.text === text);

const announced = (holdId: string) =>
  receiver.received.filter(({ event }) => (event.data.message as { hold_id?: string }).hold_id === holdId);

describe("the link of a held message", () => {
  it("shows the message, and one press sends it, once, tagged as a human agent's", async () => {
    const text = "Hello Mara,\n\nyes, it is ready.";
    const made = await hold(text);
    expect(made.verify_url.split("#")[0]).toBe(`${stack.local.base_url}/verify?hold=${made.id}`);
    const { page, asked, complaints } = await visit(browser, made.verify_url);
    await heading(page, "Check and send");
    expect(await page.getByRole("region", { name: "Your message" }).innerText()).toMatch(
      /To Mara Lindqvist\s+on Messenger\s+Hello Mara,\n\nyes, it is ready./,
    );
    expect(await page.getByRole("timer").innerText()).toMatch(/^1[45]:\d\d$/);
    expect(await sentWith(text)).toEqual([]);
    await press(page);
    await heading(page, "Sent");

    const [sent, ...others] = await sentWith(text);
    expect([sent?.request.tag, others]).toEqual(["HUMAN_AGENT", []]);
    expect(await read(made.id)).toMatchObject({ status: "sent", platform_message_id: sent?.mid });
    const { body } = await stack.api("GET", `/v1/messages/${sent?.mid}`);
    expect(body.data.message).toMatchObject({
      text,
      direction: "outbound",
      sent_via: "api_human_agent",
      actor_id: "console:usr_ann",
    });
    await until("the tenant hears of it", () => announced(made.id).length > 0);
    expect(announced(made.id)[0]?.event).toMatchObject({ type: "message.sent", data: { message: { text } } });

    // Nothing of the secret stays where it can be seen, and nobody else was asked for anything.
    const secret = made.verify_url.split("#t=")[1] ?? "";
    expect(page.url()).toBe(`${stack.local.base_url}/verify?hold=${made.id}`);
    expect(asked.filter((url) => new URL(url).origin !== stack.local.base_url)).toEqual([]);
    expect(asked.slice(1).filter((url) => url.includes(secret))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(stack.log()).not.toContain(secret);
    expect(failuresIn(stack.log())).toEqual([]);
  });

  it(
    "open in two tabs, pressed in both at once, sends once, and both say that it was sent",
    async () => {
      const text = "in two tabs";
      const made = await hold(text);
      const tabs = await Promise.all([visit(browser, made.verify_url), visit(browser, made.verify_url)]);
      await Promise.all(tabs.map(({ page }) => heading(page, "Check and send")));
      await Promise.all(tabs.map(({ page }) => press(page)));
      const sent = { level: 1, name: /^(Sent|Already sent)$/ } as const;
      for (const { page } of tabs) await page.getByRole("heading", sent).waitFor({ timeout: SOLVING });
      expect(await sentWith(text)).toHaveLength(1);
      expect(await read(made.id)).toMatchObject({ status: "sent" });
    },
    2 * SOLVING,
  );

  it("of a test key's message passes the same check, and nobody gets it", async () => {
    const text = "only a test";
    const made = await hold(text, stack.local.test_key);
    const { page } = await visit(browser, made.verify_url);
    await press(page);
    await heading(page, "Test passed");
    expect((await read(made.id)).platform_message_id).toMatch(/^mock_mid_/);
    expect(await sentWith(text)).toEqual([]);
  });

  it("of a message that the platform refuses says so, and why", async () => {
    const made = await hold("refused");
    await stack.sim("POST", "/faults", { mode: "person_unavailable", for: 1 });
    const { page } = await visit(browser, made.verify_url);
    await press(page);
    await heading(page, "Not sent");
    expect(await read(made.id)).toMatchObject({ status: "failed", error: { code: "send_failed" } });
    await until("the tenant hears of it", () => announced(made.id).length > 0);
    expect(announced(made.id)[0]?.event.type).toBe("message.failed");
  });

  it("followed too late, or with another secret, sends nothing", async () => {
    const made = await hold("too late");
    const { page: wrong } = await visit(
      browser,
      made.verify_url.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    );
    await heading(wrong, "This link is not valid");
    await stack.clock("PT15M");
    const { page: late } = await visit(browser, made.verify_url);
    await heading(late, "Time ran out");
    await stack.clock("PT15M");
    const { page: gone } = await visit(browser, made.verify_url);
    await heading(gone, "This link is not valid");
    expect(await sentWith("too late")).toEqual([]);
  });
});

describe("the page", () => {
  it("comes with a policy that lets nothing in, is framed by nobody and kept by nobody", async () => {
    const { status, headers } = await stack.request("/verify");
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
    });
  });
});
