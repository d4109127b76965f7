import { expect, test } from "vitest";
import { useSimulatorPage } from "./page-fixture.ts";

// The test bench of the page in a real Chromium: scenarios, webhooks that are sent again, and scripted receivers.

const at = useSimulatorPage();

async function openBench(entry: string): Promise<void> {
  await at.page.getByRole("button", { name: "Test bench" }).click();
  await at.page.getByRole("menuitem", { name: entry }).click();
}

const notice = () => at.page.locator("#notice");
const names = () => at.page.locator(".contact .name").allInnerTexts();

test("the newest thread is the first of its account, and its account is the first", async () => {
  await at.openPerson();
  const older = at.name;
  await at.write("Older");
  await at.openPerson();
  const newer = at.name;
  await at.write("Newer");
  await at.message("Newer").waitFor();
  expect((await names()).slice(0, 2)).toEqual([newer, older]);
  const { account, connection } = at.owner;
  await at.simulator.control("/person-sends", { account, connection, person: older, text: "Newest" });
  await at.page.locator(".contact", { hasText: "Newest" }).waitFor();
  expect((await names()).slice(0, 2)).toEqual([older, newer]);
  await at.simulator.control("/person-sends", { account: "104512347788901", connection: "messenger", text: "Page" });
  await at.page.locator(".contact", { hasText: "Page" }).waitFor();
  expect(await at.page.locator(".account .soft").first().innerText()).toContain("Messenger");
});

test("each thread has an address, which opens it again, and which back and forward follow", async () => {
  const [first, address] = [at.name, at.page.url()];
  await at.write("Here");
  await at.page.locator(".contact", { hasText: "Robin Vale" }).first().click();
  const title = at.page.locator("#talk-title");
  await expect.poll(() => title.innerText()).toBe("Robin Vale");
  expect(at.page.url()).not.toBe(address);
  await at.page.goBack();
  await expect.poll(() => title.innerText()).toBe(first);
  expect(at.page.url()).toBe(address);
  await at.page.goForward();
  await expect.poll(() => title.innerText()).toBe("Robin Vale");
  await at.page.goto(address);
  await expect.poll(() => title.innerText()).toBe(first);
  await at.page.setViewportSize({ width: 390, height: 844 });
  await at.page.goto(`${at.simulator.url}/#unknown%3A1/%E0%A4%A`);
  await at.page.goto(address);
  await at.page.reload();
  await at.message("Here").waitFor();
  expect(await at.page.locator("#people").isVisible()).toBe(false);
  await at.page.setViewportSize({ width: 1440, height: 900 });
});

test("a scenario runs by a button, and the page then shows who wrote", async () => {
  await openBench("Run a scenario…");
  await at.page.getByRole("button", { name: "Run View once" }).waitFor();
  await at.expectAccessible("always");
  await at.page.getByRole("button", { name: "Run View once" }).click();
  await notice().getByText("View once: completed.").waitFor();
  expect(await at.page.locator("#talk-title").innerText()).toBe("Dana Wolf");
  await at.message("Did you see it?").waitFor();
  await openBench("Run a scenario…");
  await at.page.getByText("View once: completed, 2 of 2.").waitFor();
  await at.page.keyboard.press("Escape");
  expect(at.complaints).toEqual([]);
});

test("a webhook is sent again, or edited and sent, from the details of its message", async () => {
  await at.write("And again");
  await at.openDetails("And again");
  await at.panel().getByRole("button", { name: "Send again" }).click();
  await notice().getByText("Sent again: accepted by the app.").waitFor();
  await at.panel().getByRole("heading", { name: "Webhook: message, sent again" }).waitFor();
  await at.panel().getByRole("button", { name: "Edit and send…" }).first().click();
  const body = at.page.getByRole("textbox", { name: "Body" });
  const original = await body.inputValue();
  await body.fill("{");
  await at.page.getByRole("button", { name: "Send", exact: true }).last().click();
  await at.page.getByText(/^body is not JSON/).waitFor();
  await at.expectAccessible();
  await body.fill(original.replace("And again", "Edited"));
  await at.page.getByRole("button", { name: "Send", exact: true }).last().click();
  await at.page.locator("#panel pre", { hasText: "Edited" }).waitFor();
  const { webhooks } = await at.simulator.control<{ webhooks: { body: string }[] }>("/webhooks");
  expect(JSON.parse(webhooks[0]?.body ?? "{}").entry[0].messaging[0].message.text).toBe("Edited");
  await at.page.getByRole("button", { name: "Close the details" }).click();
});

test("the newest webhooks are listed, and one of them opens", async () => {
  await at.write("Listed");
  await openBench("Webhooks…");
  await at.page.locator(".bench-open", { hasText: "Listed" }).waitFor();
  await at.expectAccessible();
  await at.page.locator(".bench-open", { hasText: "Listed" }).click();
  await at.panel().getByText('"text": "Listed"').waitFor();
  await at.page.getByRole("button", { name: "Close the details" }).click();
});

test("a scripted receiver is added, shows each request as it arrives, and is removed", async () => {
  await openBench("Scripted receivers…");
  const name = at.page.getByRole("textbox", { name: /^Name: lowercase/ });
  await name.fill("shop");
  await at.page.getByRole("textbox", { name: /^Steps as JSON/ }).fill('[{ "statuz": 1 }]');
  await at.page.getByRole("button", { name: "Save the receiver" }).click();
  await at.page.getByText('steps[0]: unknown field "statuz"').waitFor();
  await at.page.getByRole("combobox", { name: "Script" }).selectOption("Is gone");
  await at.page.getByRole("button", { name: "Save the receiver" }).click();
  const section = at.page.getByRole("region", { name: "Receiver shop" });
  await section.getByText(`${at.simulator.url}/receivers/shop`).waitFor();
  expect(
    (await fetch(`${at.simulator.url}/receivers/shop`, { method: "POST", body: '{"type":"it.happened"}' })).status,
  ).toBe(410);
  await section.getByText("it.happened", { exact: true }).click();
  await section.getByText('"type": "it.happened"').waitFor();
  await at.expectAccessible();
  await at.page.setViewportSize({ width: 320, height: 640 });
  expect(await at.inPage("document.querySelector('#bench-dialog').scrollWidth")).toBeLessThanOrEqual(320);
  await at.page.setViewportSize({ width: 1440, height: 900 });
  await section.getByRole("button", { name: "Remove: shop" }).click();
  await section.waitFor({ state: "detached" });
  await at.page.keyboard.press("Escape");
});
