import { expect, test } from "vitest";
import { plantedIn, plantedText } from "../../../support/files/planted-characters.ts";
import { readableText } from "../../../web/support/readable-text.ts";
import { testAccounts } from "../simulator-fixture.ts";
import { messenger, useSimulatorPage } from "./page-fixture.ts";

// The page's views in a real Chromium: the details, narrow screens and motion.

const hour = 3_600_000;
const at = useSimulatorPage();

const delivery = {
  delivery_id: "dlv_1",
  event_id: "evt_1",
  event_type: "message.received",
  status: "retrying",
  next_retry_at: Date.now() + hour,
  event: { id: "evt_1", type: "message.received" },
  attempts: [{ attempt: 1, at: Date.now(), status: 503, error: "status", duration_ms: 12 }],
};

test("the details of a message show the webhook with its signature, the answer, the event and each delivery", async () => {
  Object.assign(at.simulator.report, {
    message: { id: "stored" },
    deliveries: [{ endpoint: "http://127.0.0.1:9000/hooks", delivery }],
  });
  await at.write("Where is my parcel?");
  await at.openDetails("Where is my parcel?");
  await at.panel().getByText("X-Hub-Signature-256").waitFor();
  const webhook = await at.panel().innerText();
  expect(webhook).toContain("/webhooks/instagram");
  expect(webhook).toMatch(/sha256=[0-9a-f]{64}/);
  expect(webhook).toContain('"text": "Where is my parcel?"');
  expect(webhook).toContain("Signed with the Instagram app secret");

  await at.page.keyboard.press("ArrowRight");
  expect(await at.panel().innerText()).toMatch(/200\s+Accepted by the app[\s\S]*EVENT_RECEIVED/);
  await at.page.keyboard.press("ArrowRight");
  const event = await at.panel().innerText();
  expect(event).toContain('"id": "evt_1"');
  expect(event).toContain('"id": "stored"');
  await at.page.keyboard.press("End");
  const deliveries = await at.panel().innerText();
  expect(deliveries).toMatch(/message\.received\s+retrying/);
  expect(deliveries).toContain("http://127.0.0.1:9000/hooks");
  expect(deliveries).toMatch(/503\s+12 ms/);
  await at.expectAccessible("always");

  await at.page.keyboard.press("Escape");
  expect(await at.panel().isVisible()).toBe(false);
  expect(await at.focusedName()).toContain("Details of “Where is my parcel?”");
});

test("the details of a message say how to get an event if no endpoint has one, and follow the delivery while they are open", async () => {
  Object.assign(at.simulator.report, { message: null, deliveries: [] });
  await at.write("No one listens");
  await at.openDetails("No one listens");
  await at.page.getByRole("tab", { name: "Deliveries" }).click();
  await at.panel().getByText("Add an endpoint to the app and send another message.").waitFor();
  // The app may say how.
  Object.assign(at.simulator.report, { endpoint_hint: "Run `app listen`" });
  await at.panel().locator("code", { hasText: "app listen" }).waitFor();
  Object.assign(at.simulator.report, { deliveries: [{ endpoint: "http://later", delivery }] });
  await at.panel().getByText("http://later").waitFor();
});

test("the details of a message of an answer of the app show the call that sent it", async () => {
  await at.write("Hello");
  await fetch(`${at.simulator.url}/instagram_graph/v26.0/me/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${testAccounts.login.token}` },
    body: JSON.stringify({ recipient: { id: at.owner.person }, message: { text: "By call" } }),
  });
  await at.message("By call").waitFor();
  expect(await at.page.locator("#speaker").innerText()).toBe(`${testAccounts.login.displayName}: By call`);
  await at.openDetails("By call");
  await at.panel().getByText("Send call of the app").waitFor();
  expect(await at.panel().innerText()).toContain('"text": "By call"');
});

test("what people, accounts and the app wrote has no planted characters, wherever the page shows it", async () => {
  const { report, receiver, control } = at.simulator;
  const text = plantedText("Where is", "my parcel?");
  const deliveries = [{ endpoint: "http://later", delivery: { ...delivery, event: { text }, event_type: text } }];
  Object.assign(report, { message: { text }, deliveries });
  receiver.body = plantedText("EVENT", "RECEIVED");
  const expectClean = async (...patterns: readonly RegExp[]) => {
    for (const pattern of patterns)
      await expect.poll(() => readableText(at.page), { timeout: 15_000 }).toMatch(pattern);
    expect(plantedIn(await readableText(at.page))).toEqual([]);
  };
  try {
    await at.openPerson(messenger);
    const { mid } = await at.write(text);
    await control("/person-sends", { ...at.owner, kind: "reaction", mid, emoji: plantedText("a", "b") });
    await control("/account-sends", { ...at.owner, text: plantedText("It is", "here") });
    await at.write(plantedText("Thank", "you"), { reply_to: mid });
    await control("/people", { ...at.owner, name: plantedText("Ada", "L") });
    await at.page.getByRole("heading", { name: /^Ada .*L$/ }).waitFor();
    await at.chooseMore("Thank", "Reply");
    await expectClean(
      /Details of “Where is x/,
      /Reactions: a x/,
      /Replied to Ada x/,
      /Bikes: It is x/,
      /Ada x.*L: Thank x/s,
    );
    await at.openDetails("It is x");
    for (const [tab, shown] of [
      ["Webhook", /"text": "It is/],
      ["Answer", /EVENT x/],
      ["Event", /Where is/],
      ["Deliveries", /^Where is x/],
    ] as const) {
      await at.page.getByRole("tab", { name: tab }).click();
      await at.panel().getByText(shown).first().waitFor();
      await expectClean();
    }
    report.problem = plantedText("No", "answer");
    await at.panel().getByText(/^No x/).waitFor();
    await expectClean();
    await at.page.keyboard.press("Escape");
    await at.page.getByRole("button", { name: "Actions of Bikes, Messenger" }).click();
    await at.page.getByRole("menuitem", { name: "Subscription, token and limits…" }).click();
    await at.page.getByRole("button", { name: "Remove the app" }).click();
    await at.page.getByText("/platform/deauthorize answered 200: EVENT x").waitFor();
    await expectClean();
  } finally {
    receiver.body = "EVENT_RECEIVED";
    Object.assign(report, { message: null, deliveries: [], problem: null });
  }
});

test("at 390 px list, thread and details are screens with a way back", async () => {
  await at.write("On the way");
  await at.page.setViewportSize({ width: 390, height: 844 });
  try {
    const contact = at.page.locator(".contact", { hasText: at.name });
    // The address is that of the thread.
    await at.page.getByRole("button", { name: "Back to the people" }).click();
    await at.expectAccessible();
    await contact.click();
    await at.page.locator("#text").waitFor();
    expect(await contact.isVisible()).toBe(false);
    await at.expectAccessible();
    await at.page.getByRole("button", { name: "Attachments and actions" }).click();
    await at.expectAccessible();
    await at.page.keyboard.press("Escape");
    await at
      .message("On the way")
      .getByRole("button", { name: /^More actions/ })
      .click();
    await at.page.getByRole("menuitem", { name: "Details" }).click();
    await at.panel().getByText("X-Hub-Signature-256").waitFor();
    expect(await at.page.locator("#text").isVisible()).toBe(false);
    await at.expectAccessible();
    expect(await at.inPage("document.documentElement.scrollWidth")).toBe(390);
    await at.page.getByRole("button", { name: "Back to the thread" }).click();
    await at.page.getByRole("button", { name: "Back to the people" }).click();
    expect(await contact.isVisible()).toBe(true);
    expect(at.complaints).toEqual([]);
  } finally {
    await at.page.setViewportSize({ width: 1440, height: 900 });
  }
});

test("nothing moves for people who prefer less motion", async () => {
  await at.write("Wide");
  await at.message("Wide").getByText("Accepted by the app").waitFor();
  const animation = "getComputedStyle(document.querySelector('.message.arriving')).animationName";
  expect(await at.inPage(animation)).toBe("none");
  await at.page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await at.inPage(animation)).toBe("arrive");
  await at.page.emulateMedia({ reducedMotion: "reduce" });
  await at.message("Wide").hover();
  await at.expectAccessible();
});
