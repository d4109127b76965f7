import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { failures } from "./support/failures.ts";
import { conversationId, messageOf, openWorld, personOf, type SmallWorld } from "./support/small-world.ts";

// Each read of the console fails in each way: there are words and a way on, never a blank page or an endless wait.

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

interface Read {
  readonly operation: string;
  /** What cannot be read. */
  readonly name: string;
  readonly path: string;
  /** What the page shows once the read works. */
  readonly shown: (world: SmallWorld) => Promise<void>;
}

const THREAD = "/app/acme/inbox/instagram/178414/993";
const text = (words: string) => async (world: SmallWorld) => {
  await world.page.getByText(words).filter({ visible: true }).first().waitFor();
};
const reads: readonly Read[] = [
  { name: "the session", operation: "GET /console/me", path: "/app/acme/inbox", shown: text("Person 993") },
  { name: "the workspaces", operation: "GET /console/tenants", path: "/app/acme/inbox", shown: text("Person 993") },
  { name: "a list", operation: "GET /v1/conversations", path: "/app/acme/inbox", shown: text("Person 993") },
  { name: "a thread", operation: "GET /v1/conversations/{id}", path: THREAD, shown: text("Do you have it?") },
  { name: "the accounts", operation: "GET /v1/accounts", path: "/app/acme/accounts", shown: text("Acme Studio") },
  {
    name: "the pages of a login",
    operation: "GET /oauth/messenger/pages",
    path: "/app/acme/accounts?choose=messenger",
    shown: text("Accounts to connect"),
  },
];

async function open(): Promise<SmallWorld> {
  const world = await openWorld(browser, server);
  world.add(personOf("993", 1), [messageOf("m1", "993", { text: "Do you have it?" })]);
  const [account] = world.accounts;
  world.accounts = [{ ...account, display_name: "Acme Studio" }];
  return world;
}

const spinners = ".skeleton, [role=status]:has-text('Loading'), .gate[role=status]";

it.each(reads.flatMap((read) => failures.map((failure) => ({ ...read, ...failure, read: read.name }))))(
  "a read of $read that gets $name has words and a way on",
  async ({ read, operation, name, path, answer, words, shown }) => {
    const world = await open();
    const { page, failures: failing } = world;
    failing.set(operation, answer);
    await world.open(path);
    if (name === "401" && operation.startsWith("GET /console/")) {
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(new URL(page.url()).searchParams.get("redirect")).toBe(path);
      return;
    }
    await page.getByRole("alert").filter({ hasText: words }).first().waitFor();
    expect(await page.locator(spinners).filter({ visible: true }).count()).toBe(0);
    const before = world.calls.length;
    await page.waitForTimeout(300);
    expect(world.calls.length - before).toBeLessThan(10);
    failing.clear();
    // A person who is signed in again goes on: the inbox and the open thread are read again by themselves.
    const mendsItself = name === "401" && (read === "a list" || read === "a thread");
    if (!mendsItself) await page.getByRole("button", { name: "Try again" }).first().click();
    await shown(world);
    expect(world.complaints).toEqual([]);
  },
);

it.each([8, 50, 119])(
  "a list and a session whose reads may be repeated after %i seconds have words at once",
  async (seconds) => {
    const world = await open();
    const answer = { status: 429, code: "rate_limited", headers: { "retry-after": String(seconds) } };
    world.failures.set("GET /v1/conversations", answer);
    await world.open();
    const alert = world.page.getByRole("alert").filter({ hasText: "Wait a minute, then try again." });
    await alert.waitFor();
    world.failures.clear();
    world.failures.set("GET /console/me", answer);
    await world.page.reload();
    await world.page.getByRole("heading", { name: "The console could not be opened." }).waitFor();
    await alert.waitFor();
    world.failures.clear();
    await world.page.getByRole("button", { name: "Try again" }).click();
    await world.page.getByText("Person 993").first().waitFor();
  },
);

it.each(failures)("an inbox whose team and filters get $name works without them", async ({ name, answer }) => {
  const world = await open();
  world.failures.set("GET /console/team", answer).set("GET /v1/accounts", answer);
  await world.open(THREAD);
  await world.page.getByText("Do you have it?").first().waitFor();
  world.failures.clear();
  if (name === "401") await world.page.getByText("Your session has ended").waitFor({ state: "hidden" });
  await world.page.getByRole("textbox", { name: "Reply to Person 993" }).fill("Yes");
  await world.page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => world.calls).toContain("POST /v1/messages/reply");
  expect(world.complaints).toEqual([]);
});

it.each(failures)(
  "a page whose stream gets $name says that new messages may be missing, and mends",
  async (failure) => {
    const world = await open();
    world.failures.set("POST /console/session/ws-ticket", failure.answer);
    await world.open();
    const { page } = world;
    await page.getByText("Person 993").first().waitFor();
    if (failure.name !== "401")
      await page.getByText(/No live connection since|The live connection has ended/).waitFor();
    world.failures.clear();
    // The stream waits as long as it is asked to, and says so.
    if (failure.answer.headers?.["retry-after"]) await page.reload();
    const reload = page.getByRole("button", { name: "Reload" });
    // After a new sign-in the stream is followed again without a press.
    if (failure.name !== "401" && (await reload.isVisible())) await reload.click();
    await expect.poll(() => world.isLive, { timeout: 10_000 }).toBe(true);
    await page.getByText(/No live connection since|The live connection has ended/).waitFor({ state: "hidden" });
    await page.getByText("Live: messages appear at once").waitFor({ state: "attached" });
  },
);

it("a page that cannot be drawn says so, and a reload goes on with what was written", async () => {
  const world = await open();
  const { page } = world;
  await world.openThread("993");
  await page.locator("textarea").fill("Yes, in blue");
  await expect.poll(() => page.evaluate("localStorage.getItem('parley.drafts')")).toContain("Yes, in blue");
  const whole = world.conversations.get(conversationId("993"));
  world.add({ ...personOf("993", 1), account_handle: { broken: true } } as never);
  await page.reload();
  const alert = page.getByRole("alert").filter({ hasText: "What you wrote is saved." });
  await alert.waitFor();
  expect(await alert.getByRole("heading").innerText()).toBe("This page could not be shown");
  if (whole) world.add(whole);
  await alert.getByRole("button", { name: "Reload" }).click();
  await expect.poll(() => page.locator("textarea").inputValue(), { timeout: 20_000 }).toBe("Yes, in blue");
  expect(world.complaints).toEqual([]);
});
