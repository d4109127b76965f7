import { expect, test } from "vitest";
import { repetitions } from "../../../support/sampling.ts";
import { testAccounts } from "../simulator-fixture.ts";
import { instagram, messenger, useSimulatorPage } from "./page-fixture.ts";

// Messages of the page in a real Chromium: written, edited, unsent and reacted to.

const at = useSimulatorPage();

test("the menu of attachments and actions opens with an arrow key, moves with keys, and sends nothing until an entry is chosen", async () => {
  const trigger = at.page.getByRole("button", { name: "Attachments and actions" });
  await trigger.focus();
  await at.page.keyboard.press("ArrowDown");
  expect(await at.focusedName()).toBe("Photo");
  await at.page.keyboard.press("ArrowDown");
  expect(await at.focusedName()).toBe("Several photos");
  await at.page.keyboard.press("End");
  expect(await at.focusedName()).toBe("Read the messages");
  await at.page.keyboard.press("ArrowDown");
  expect(await at.focusedName()).toBe("Photo");
  await at.page.keyboard.press("v");
  expect(await at.focusedName()).toBe("Video");
  await at.page.keyboard.press("Home");
  await at.page.keyboard.press("Escape");
  expect(await at.page.getByRole("menu").count()).toBe(0);
  expect(await at.focusedName()).toBe("Attachments and actions");
  expect(await at.messages()).toEqual([]);

  await at.page.keyboard.press("Enter");
  await at.page.keyboard.press("Enter");
  await at.message("Accepted by the app").waitFor();
  expect(await at.messages()).toMatchObject([{ attachments: [{ type: "image" }] }]);
});

const platforms = [
  ["Instagram", instagram],
  ["Messenger", messenger],
] as const;
test.each(platforms.slice(0, repetitions({ whole: 2, sample: 1 })))(
  "every entry on %s does something that the page shows, without an error",
  async (_platform, account) => {
    await at.openPerson(account);
    await at.simulator.control("/account-sends", { ...at.owner, text: "Good day" });
    const trigger = at.page.getByRole("button", { name: "Attachments and actions" });
    await trigger.click();
    const entries = await at.page.getByRole("menuitem").allTextContents();
    await at.page.keyboard.press("Escape");
    expect(entries.length).toBeGreaterThan(14);
    for (const entry of entries.filter((one) => !one.endsWith("…"))) {
      const before = await at.page.locator(".message").count();
      await trigger.click();
      await at.page.getByRole("menuitem", { name: entry, exact: true }).click();
      const notice = at.page.locator("#notice", { hasText: `${entry}: ` });
      const sendsMessage = !["Open a referral link", "Read the messages", "Delivery receipt"].includes(entry);
      await (sendsMessage ? at.page.locator(".message").nth(before) : notice).waitFor();
    }
    expect(at.complaints).toEqual([]);
    await at.expectAccessible();
  },
);

test("the text box edits any message of the person", async () => {
  await at.write("First");
  await at.write("Second");
  await at.message("First").waitFor();
  await at.page.locator("#text").fill("A draft");
  await at.chooseMore("First", "Edit");
  expect(await at.page.locator("#text").inputValue()).toBe("First");
  expect(await at.page.locator("#mode").innerText()).toMatch(/Editing a message\s+First\s+Cancel/);
  await at.expectAccessible();
  await at.page.keyboard.press("Escape");
  expect(await at.page.locator("#mode").isVisible()).toBe(false);
  expect(await at.page.locator("#text").inputValue()).toBe("A draft");

  await at.chooseMore("First", "Edit");
  await at.page.locator("#text").fill("Better");
  await at.page.keyboard.press("Enter");
  await at.message("Better").getByText("Edited").waitFor();
  expect(await at.messages()).toMatchObject([
    { text: "Better", edits: 1 },
    { text: "Second", edits: 0 },
  ]);
  expect(await at.page.locator("#text").inputValue()).toBe("A draft");
});

test("the text box writes a story reply, and a reply that quotes its message", async () => {
  await at.page.getByRole("button", { name: "Attachments and actions" }).click();
  await at.page.getByRole("menuitem", { name: "Reply to a story…" }).click();
  expect(await at.messages()).toEqual([]);
  await at.page.keyboard.type("Lovely lamp");
  await at.page.keyboard.press("Enter");
  await at.page.getByRole("img", { name: "The story" }).waitFor();
  await at.chooseMore("Lovely lamp", "Reply");
  await at.page.keyboard.type("I mean the left one");
  await at.page.keyboard.press("Enter");
  await at.message("I mean the left one").getByText(`Replied to ${at.name}`).waitFor();
  const [story, reply] = await at.messages();
  expect(story).toMatchObject({ text: "Lovely lamp", note: "Replied to your story" });
  expect(reply?.replyTo).toBe(story?.mid);
});

test("the text box answers as the business in the app, and gives a text back that was refused", async () => {
  await at.page.getByText(testAccounts.login.displayName, { exact: true }).last().click();
  await at.page.locator("#text").fill("By hand");
  await at.page.keyboard.press("Enter");
  await at.message("By hand").waitFor();
  expect(await at.messages()).toMatchObject([{ from: "account", text: "By hand" }]);
  await at.page.getByText(at.name, { exact: true }).last().click();
  await at.page.route("**/_sim/person-sends", (route) =>
    route.fulfill({ status: 400, contentType: "application/json", body: '{"error":"Refused for a reason"}' }),
  );
  await at.page.locator("#text").fill("Keep me");
  await at.page.keyboard.press("Enter");
  await at.page.getByText("Refused for a reason").first().waitFor();
  expect(await at.page.locator("#text").inputValue()).toBe("Keep me");
  await at.page.unroute("**/_sim/person-sends");
});

test("any message is unsent, by the side that sent it, and reacted to", async () => {
  await at.write("Mine");
  await at.simulator.control("/account-sends", { ...at.owner, text: "Theirs" });
  await at.message("Theirs").waitFor();
  await at.message("Theirs").hover();
  await at
    .message("Theirs")
    .getByRole("button", { name: /^React to/ })
    .click();
  await at.page.keyboard.press("ArrowRight");
  await at.page.keyboard.press("Enter");
  await at.page.getByRole("img", { name: "Reactions: 😆" }).waitFor();
  await at.chooseMore("Mine", "Unsend");
  await at.message("Message unsent").waitFor();
  await at.chooseMore("Theirs", "Unsend as the business");
  await expect.poll(async () => (await at.messages()).map(({ deleted }) => deleted)).toEqual([true, true]);
});

test("a webhook without a message reports its outcome and opens its details", async () => {
  await at.page.getByRole("button", { name: "Attachments and actions" }).click();
  await at.page.getByRole("menuitem", { name: "Open a referral link" }).click();
  await at.page.getByText("Open a referral link: accepted by the app").first().waitFor();
  await at.page.locator("#notice").getByRole("button", { name: "Details" }).click();
  await at.panel().getByText("Webhook: referral").waitFor();
});

test("arrow keys move between messages, of which one is in the tab order", async () => {
  await at.write("One");
  await at.write("Two");
  await at.message("Two").getByText("Accepted by the app").waitFor();
  await at
    .message("Two")
    .getByRole("button", { name: /^Details of/ })
    .focus();
  await at.page.keyboard.press("ArrowUp");
  expect(await at.focusedName()).toBe("Details of “One”");
  expect(await at.page.locator(".thread button[tabindex='0']").count()).toBe(3);
  await at.page.keyboard.press("End");
  expect(await at.focusedName()).toBe("Details of “Two”");
});
