import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import { testAccounts } from "../simulator-fixture.ts";
import { startPageSimulator } from "./page-fixture.ts";

// The page in a real Chromium: one page for all tests, and a new person for each.

const hour = 3_600_000;
const instagram = { account: testAccounts.login.externalId, connection: testAccounts.login.connection };
/** The page asks for news every second and every one and a half: in the tests it waits 200 ms. */
const ASK_OFTEN = `{
  const { setTimeout } = window;
  window.setTimeout = (run, ms) => setTimeout(run, ms === 1000 || ms === 1500 ? 200 : ms);
}`;
const messenger = { account: testAccounts.messenger.externalId, connection: testAccounts.messenger.connection };

let simulator: Awaited<ReturnType<typeof startPageSimulator>>;
let page: Page;
const complaints: string[] = [];
let people = 0;
let owner: { account: string; connection: string; person: string } = { ...instagram, person: "" };
let name = "";

beforeAll(async () => {
  simulator = await startPageSimulator();
  const context = await (await testBrowser()).newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  await context.addInitScript(ASK_OFTEN);
  page = await context.newPage();
  page.setDefaultTimeout(5_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
});
afterAll(async () => {
  await page.context().close();
  await simulator.close();
});

/** Opens the page with a new person of an account. */
async function openPerson(account: { account: string; connection: string } = instagram): Promise<void> {
  people += 1;
  name = `Person ${people}`;
  const { id } = await simulator.control<{ id: string }>("/people", { ...account, name });
  owner = { ...account, person: id };
  await page.goto(`${simulator.url}/#${encodeURIComponent(`${owner.connection}:${owner.account}`)}/${id}`);
  await page.reload();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}
beforeEach(async () => {
  complaints.length = 0;
  await openPerson();
});

interface Message {
  mid: string;
  text: string | null;
  edits: number;
  deleted: boolean;
  from: string;
  note: string | null;
  reactions: object;
  replyTo: string | null;
  attachments: { type: string }[];
}

/** The messages of the person, as the simulator has them. */
async function messages(): Promise<Message[]> {
  const { threads } = await simulator.control<{ threads: { person: string; messages: Message[] }[] }>("/state");
  return threads.find(({ person }) => person === owner.person)?.messages ?? [];
}
const write = (text: string, more: object = {}) =>
  simulator.control<{ mid: string }>("/person-sends", { ...owner, text, ...more });
const message = (text: string) => page.locator(".message", { hasText: text });
async function chooseMore(text: string, entry: string): Promise<void> {
  await message(text).hover();
  await message(text)
    .getByRole("button", { name: /^More actions/ })
    .click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}
async function openDetails(text: string): Promise<void> {
  await message(text).hover();
  await message(text)
    .getByRole("button", { name: /^Details of/ })
    .click();
}
const panel = () => page.getByRole("tabpanel");
const inPage = <Value>(expression: string): Promise<Value> => page.evaluate(expression);
const focusedName = () =>
  inPage<string>(`document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`);

describe("the menu of attachments and actions", () => {
  test("opens with an arrow key, moves with keys, and sends nothing until an entry is chosen", async () => {
    const trigger = page.getByRole("button", { name: "Attachments and actions" });
    await trigger.focus();
    await page.keyboard.press("ArrowDown");
    expect(await focusedName()).toBe("Photo");
    await page.keyboard.press("ArrowDown");
    expect(await focusedName()).toBe("Several photos");
    await page.keyboard.press("End");
    expect(await focusedName()).toBe("Read the messages");
    await page.keyboard.press("ArrowDown");
    expect(await focusedName()).toBe("Photo");
    await page.keyboard.press("v");
    expect(await focusedName()).toBe("Video");
    await page.keyboard.press("Home");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("menu").count()).toBe(0);
    expect(await focusedName()).toBe("Attachments and actions");
    expect(await messages()).toEqual([]);

    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await message("Taken by Parley").waitFor();
    expect(await messages()).toMatchObject([{ attachments: [{ type: "image" }] }]);
  });

  test.each([
    ["Instagram", instagram],
    ["Messenger", messenger],
  ] as const)("every entry on %s does something that the page shows, without an error", async (_platform, account) => {
    await openPerson(account);
    await simulator.control("/account-sends", { ...owner, text: "Good day" });
    const trigger = page.getByRole("button", { name: "Attachments and actions" });
    await trigger.click();
    const entries = await page.getByRole("menuitem").allTextContents();
    await page.keyboard.press("Escape");
    expect(entries.length).toBeGreaterThan(14);
    for (const entry of entries.filter((one) => !one.endsWith("…"))) {
      const before = await page.locator(".message").count();
      await trigger.click();
      await page.getByRole("menuitem", { name: entry, exact: true }).click();
      const notice = page.locator("#notice", { hasText: `${entry}: ` });
      const sendsMessage = !["Open a referral link", "Read the messages", "Delivery receipt"].includes(entry);
      await (sendsMessage ? page.locator(".message").nth(before) : notice).waitFor();
    }
    expect(complaints).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

describe("the details of a message", () => {
  const delivery = {
    delivery_id: "dlv_1",
    event_id: "evt_1",
    event_type: "message.received",
    status: "retrying",
    next_retry_at: Date.now() + hour,
    event: { id: "evt_1", type: "message.received" },
    attempts: [{ attempt: 1, at: Date.now(), status: 503, error: "status", duration_ms: 12 }],
  };

  test("show the webhook with its signature, the answer, the event and each delivery", async () => {
    Object.assign(simulator.report, {
      message: { id: "stored" },
      deliveries: [{ endpoint: "http://127.0.0.1:9000/hooks", delivery }],
    });
    await write("Where is my parcel?");
    await openDetails("Where is my parcel?");
    await panel().getByText("X-Hub-Signature-256").waitFor();
    const webhook = await panel().innerText();
    expect(webhook).toContain("/webhooks/instagram");
    expect(webhook).toMatch(/sha256=[0-9a-f]{64}/);
    expect(webhook).toContain('"text": "Where is my parcel?"');
    expect(webhook).toContain("Signed with the Instagram app secret");

    await page.keyboard.press("ArrowRight");
    expect(await panel().innerText()).toMatch(/200\s+Taken by Parley[\s\S]*EVENT_RECEIVED/);
    await page.keyboard.press("ArrowRight");
    const event = await panel().innerText();
    expect(event).toContain('"id": "evt_1"');
    expect(event).toContain('"id": "stored"');
    await page.keyboard.press("End");
    const deliveries = await panel().innerText();
    expect(deliveries).toMatch(/message\.received\s+retrying/);
    expect(deliveries).toContain("http://127.0.0.1:9000/hooks");
    expect(deliveries).toMatch(/503\s+12 ms/);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.keyboard.press("Escape");
    expect(await panel().isVisible()).toBe(false);
    expect(await focusedName()).toContain("Details of “Where is my parcel?”");
  });

  test("say how to get an event if no endpoint has one, and follow the delivery while they are open", async () => {
    Object.assign(simulator.report, { message: null, deliveries: [] });
    await write("Nobody listens");
    await openDetails("Nobody listens");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await panel().getByText("npm run admin -- listen").waitFor();
    Object.assign(simulator.report, { deliveries: [{ endpoint: "http://later", delivery }] });
    await panel().getByText("http://later").waitFor();
  });

  test("of an answer of Parley show the call that sent it", async () => {
    await write("Hello");
    await fetch(`${simulator.url}/instagram_graph/v26.0/me/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${testAccounts.login.token}` },
      body: JSON.stringify({ recipient: { id: owner.person }, message: { text: "By call" } }),
    });
    await message("By call").waitFor();
    expect(await page.locator("#speaker").innerText()).toBe(`${testAccounts.login.displayName}: By call`);
    await openDetails("By call");
    await panel().getByText("Send call of Parley").waitFor();
    expect(await panel().innerText()).toContain('"text": "By call"');
  });
});

describe("the text box", () => {
  test("edits any message of the person", async () => {
    await write("First");
    await write("Second");
    await message("First").waitFor();
    await page.locator("#text").fill("A draft");
    await chooseMore("First", "Edit");
    expect(await page.locator("#text").inputValue()).toBe("First");
    expect(await page.locator("#mode").innerText()).toMatch(/Editing a message\s+First\s+Cancel/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator("#mode").isVisible()).toBe(false);
    expect(await page.locator("#text").inputValue()).toBe("A draft");

    await chooseMore("First", "Edit");
    await page.locator("#text").fill("Better");
    await page.keyboard.press("Enter");
    await message("Better").getByText("Edited").waitFor();
    expect(await messages()).toMatchObject([
      { text: "Better", edits: 1 },
      { text: "Second", edits: 0 },
    ]);
    expect(await page.locator("#text").inputValue()).toBe("A draft");
  });

  test("writes a story reply, and a reply that quotes its message", async () => {
    await page.getByRole("button", { name: "Attachments and actions" }).click();
    await page.getByRole("menuitem", { name: "Reply to a story…" }).click();
    expect(await messages()).toEqual([]);
    await page.keyboard.type("Lovely lamp");
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: "The story" }).waitFor();
    await chooseMore("Lovely lamp", "Reply");
    await page.keyboard.type("I mean the left one");
    await page.keyboard.press("Enter");
    await message("I mean the left one").getByText(`Replied to ${name}`).waitFor();
    const [story, reply] = await messages();
    expect(story).toMatchObject({ text: "Lovely lamp", note: "Replied to your story" });
    expect(reply?.replyTo).toBe(story?.mid);
  });

  test("answers as the business in the app, and gives a text back that was refused", async () => {
    await page.getByText(testAccounts.login.displayName, { exact: true }).last().click();
    await page.locator("#text").fill("By hand");
    await page.keyboard.press("Enter");
    await message("By hand").waitFor();
    expect(await messages()).toMatchObject([{ from: "account", text: "By hand" }]);
    await page.getByText(name, { exact: true }).last().click();
    await page.route("**/_sim/person-sends", (route) =>
      route.fulfill({ status: 400, contentType: "application/json", body: '{"error":"Refused for a reason"}' }),
    );
    await page.locator("#text").fill("Keep me");
    await page.keyboard.press("Enter");
    await page.getByText("Refused for a reason").first().waitFor();
    expect(await page.locator("#text").inputValue()).toBe("Keep me");
    await page.unroute("**/_sim/person-sends");
  });
});

test("any message is unsent, by the side that sent it, and reacted to", async () => {
  await write("Mine");
  await simulator.control("/account-sends", { ...owner, text: "Theirs" });
  await message("Theirs").waitFor();
  await message("Theirs").hover();
  await message("Theirs")
    .getByRole("button", { name: /^React to/ })
    .click();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "Reactions: 😆" }).waitFor();
  await chooseMore("Mine", "Unsend");
  await message("Message unsent").waitFor();
  await chooseMore("Theirs", "Unsend as the business");
  await expect.poll(async () => (await messages()).map(({ deleted }) => deleted)).toEqual([true, true]);
});

test("a webhook without a message reports its outcome and opens its details", async () => {
  await page.getByRole("button", { name: "Attachments and actions" }).click();
  await page.getByRole("menuitem", { name: "Open a referral link" }).click();
  await page.getByText("Open a referral link: taken by Parley").first().waitFor();
  await page.locator("#notice").getByRole("button", { name: "Details" }).click();
  await panel().getByText("Webhook: referral").waitFor();
});

test("a menu stays open while the list below it changes", async () => {
  await page
    .getByRole("button", { name: `Actions of ${testAccounts.login.displayName}, Instagram`, exact: true })
    .click();
  await write("News");
  await page.locator(".contact", { hasText: "News" }).waitFor();
  expect(await focusedName()).toBe("Add a person…");
  await page.keyboard.press("Escape");
  expect(await focusedName()).toBe(`Actions of ${testAccounts.login.displayName}, Instagram`);
});

test("the account sends policy events", async () => {
  await openPerson(messenger);
  await page.getByRole("button", { name: `Actions of ${testAccounts.messenger.displayName}, Messenger` }).click();
  await page.getByRole("menuitem", { name: "Block the account", exact: true }).click();
  await page.getByText("Block the account: taken by Parley").first().waitFor();
});

test("a person loses their role, blocks the business, or belongs to another app", async () => {
  const menu = page.getByRole("button", { name: "Actions of the person and the thread" });
  for (const entry of ["Blocks the business", "Has no role in the app", "Another app controls it (standby)"]) {
    await menu.click();
    await page.getByRole("menuitemcheckbox", { name: entry }).click();
  }
  await expect
    .poll(async () => {
      const { people: all } = await simulator.control<{ people: { id: string }[] }>("/state");
      return all.find(({ id }) => id === owner.person);
    })
    .toMatchObject({ blocked: true, role: false, standby: true });
  const marks = page.locator(".contact", { hasText: name }).locator(".pill");
  await expect.poll(() => marks.allTextContents()).toEqual(["Blocked", "Standby", "No role"]);
  await menu.click();
  expect(await page.getByRole("menuitemcheckbox", { checked: true }).count()).toBe(3);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
});

test("faults are set and ended", async () => {
  await page.getByRole("button", { name: "Faults: No fault" }).click();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("menuitemradio", { name: "Rate limit" }).click();
  await page.getByRole("button", { name: "Faults: Rate limit, 1 left" }).click();
  const { fault } = await simulator.control<{ fault: object }>("/state");
  expect(fault).toMatchObject({ mode: "rate_limited", left: 1 });
  await page.getByRole("menuitemradio", { name: "No fault" }).click();
  await page.getByRole("button", { name: "Faults: No fault" }).waitFor();
});

test("the clock advances the host, days are divided, and near messages are grouped", async () => {
  await write("Yesterday's");
  await write("A moment later");
  const clock = page.getByRole("button", { name: /^Clock/ });
  for (const entry of ["1 hour", "24 hours"]) {
    await clock.click();
    await page.getByRole("menuitem", { name: entry }).click();
    await page
      .getByText(/^It is .* now\.$/)
      .first()
      .waitFor();
  }
  expect(simulator.advances.slice(-2)).toEqual([hour, 24 * hour]);
  await write("Today's");
  await message("Today's").waitFor();
  const dividers = await page.locator(".day").allTextContents();
  expect(dividers.at(-1)).toMatch(/^Today, /);
  expect(dividers[0]).toMatch(/^Yesterday, |day, /);
  expect(dividers).toHaveLength(2);
  await expect(message("A moment later").getAttribute("class")).resolves.toContain("follows");
  expect(await page.locator("#window").innerText()).toMatch(/^Open for (24|23) h$/);
});

test("an hour of failed webhooks ends the subscription; the page says so and subscribes again", async () => {
  await openPerson(messenger);
  simulator.receiver.status = 500;
  await write("Is anybody there?");
  await page.getByText(/^Parley does not take the webhooks\./).waitFor();
  expect(await page.locator("#webhooks").innerText()).toMatch(/^1 webhook waits/);
  await message("Is anybody there?")
    .getByText(/^Not taken yet/)
    .waitFor();
  await page.getByRole("button", { name: /^Clock/ }).click();
  await page.getByRole("menuitem", { name: "1 hour" }).click();
  await page.getByText("The subscription ended.").waitFor();
  await message("Lost: the subscription ended").waitFor();
  expect(await page.locator("#webhooks").innerText()).toBe("A subscription is off");
  expect(await accessibilityViolations(page)).toEqual([]);
  simulator.receiver.status = 200;
  await page.getByRole("button", { name: "Subscribe again" }).click();
  await page.locator("#banner").waitFor({ state: "hidden" });
  await write("Hello again");
  await message("Hello again").getByText("Taken by Parley").waitFor();
  expect(await page.locator("#webhooks").innerText()).toBe("Taken by Parley");
});

test("arrow keys move between messages, of which one is in the tab order", async () => {
  await write("One");
  await write("Two");
  await message("Two").getByText("Taken by Parley").waitFor();
  await message("Two")
    .getByRole("button", { name: /^Details of/ })
    .focus();
  await page.keyboard.press("ArrowUp");
  expect(await focusedName()).toBe("Details of “One”");
  expect(await page.locator(".thread button[tabindex='0']").count()).toBe(3);
  await page.keyboard.press("End");
  expect(await focusedName()).toBe("Details of “Two”");
});

test("a person is added to an account and can write at once", async () => {
  await page
    .getByRole("button", { name: `Actions of ${testAccounts.login.displayName}, Instagram`, exact: true })
    .click();
  await page.getByRole("menuitem", { name: "Add a person…" }).click();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByLabel("Name").fill("Noor Haddad");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Noor Haddad" }).waitFor();
  expect(await inPage("document.activeElement.id")).toBe("text");
});

test("at 390 px list, thread and details are screens with a way back", async () => {
  await write("On the way");
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    const contact = page.locator(".contact", { hasText: name });
    expect(await accessibilityViolations(page)).toEqual([]);
    await contact.click();
    await page.locator("#text").waitFor();
    expect(await contact.isVisible()).toBe(false);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Attachments and actions" }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await message("On the way")
      .getByRole("button", { name: /^More actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Details" }).click();
    await panel().getByText("X-Hub-Signature-256").waitFor();
    expect(await page.locator("#text").isVisible()).toBe(false);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await inPage("document.documentElement.scrollWidth")).toBe(390);
    await page.getByRole("button", { name: "Back to the thread" }).click();
    await page.getByRole("button", { name: "Back to the people" }).click();
    expect(await contact.isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  } finally {
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});

test("nothing moves for people who prefer less motion", async () => {
  await write("Wide");
  await message("Wide").getByText("Taken by Parley").waitFor();
  const animation = "getComputedStyle(document.querySelector('.message.arriving')).animationName";
  expect(await inPage(animation)).toBe("none");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await inPage(animation)).toBe("arrive");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await message("Wide").hover();
  expect(await accessibilityViolations(page)).toEqual([]);
});
