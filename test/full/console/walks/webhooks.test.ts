import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openClient } from "../../../e2e/support/api-calls.ts";
import { waitUntilIdle } from "../../../e2e/support/emulator-journals.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import {
  demoAccountIds,
  newMessageId,
  newPersonId,
  postWebhook,
  textEntry,
} from "../../../e2e/support/platform-webhooks.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openReceiver, type ReceivedDelivery } from "../../../e2e/support/webhook-receiver.ts";
import { openedOnce } from "../../../support/opened.ts";
import { bothHands, openFromRail } from "../support/hands.ts";
import { runShell, runSnippet, snippetTools } from "../support/snippet-runner.ts";
import { openedOwner } from "../support/walker.ts";

// The owner adds an endpoint whose receiver works, fails and works again. The tests of each way of working continue one
// another.

/** The page reads an endpoint that needs attention every 15 seconds. */
const SEEN_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "parley-snippets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(bothHands)("the webhooks at the console by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const receiver = openedOnce(openReceiver);
  const owner = openedOwner(stack, hands);
  let secret = "";
  const snippets = new Map<string, string>();

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true }).last();
  const press = (name: string) => hands.press(owner.page, button(name));
  const says = (text: string | RegExp, timeout = SEEN_MS) => owner.page.getByText(text).first().waitFor({ timeout });
  const dialog = (name: string) => owner.page.getByRole("dialog", { name });
  const openEndpoint = async () => {
    await openFromRail(hands, owner.page, "Webhooks");
    await hands.press(owner.page, owner.page.getByRole("list", { name: "Endpoints" }).getByRole("link"));
    await owner.page.getByRole("heading", { name: receiver.url }).waitFor();
  };
  const rows = () => owner.page.getByRole("region", { name: "Deliveries", exact: true }).locator("tbody tr");
  const readHealth = async () => {
    const [endpoint] = (await openClient(stack).webhooks.list()).endpoints;
    if (!endpoint) throw new Error("There is no endpoint.");
    return endpoint.health;
  };

  /** People write, and each message is delivered, or its attempt has failed. */
  async function peopleWrite(count: number): Promise<void> {
    const at = await stack.now();
    const entries = Array.from({ length: count }, (_, n) =>
      textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), "hello", at + n),
    );
    expect((await postWebhook(stack, "page", entries)).status).toBe(200);
    await waitUntilIdle(stack);
  }

  /** An instant as the page shows times, such as `1:29 PM`. */
  const shownTime = (iso: string | null): Promise<string> =>
    owner.page.evaluate(
      `new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }).format(new Date(${JSON.stringify(iso)}))`,
    );
  const eventIds = (deliveries: readonly ReceivedDelivery[]) => deliveries.map(({ event }) => event.id);

  it("an endpoint is added with some events, and its secret is shown once with snippets", async () => {
    const { page } = owner;
    await openFromRail(hands, page, "Webhooks");
    await press("Add an endpoint");
    await hands.write(page, page.getByLabel("Address"), receiver.url);
    await hands.check(page, page.getByLabel("Only these"));
    await hands.check(page, page.getByRole("checkbox", { name: "message.received" }));
    await press("Add");
    const shown = dialog("Copy the signing secret now");
    await shown.waitFor();
    secret = await shown.locator(".secret code").innerText();
    for (const language of ["TypeScript", "Python", "curl"]) {
      await hands.check(page, shown.getByRole("radio", { name: language }));
      snippets.set(language, await shown.getByRole("region", { name: language }).innerText());
    }
    await hands.check(page, page.getByLabel("I have stored it in a safe place"));
    await press("Done");
    await page.getByRole("heading", { name: receiver.url }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it("a test arrives, and the snippets of the page verify it and refuse a changed body", async () => {
    await press("Send a test");
    const [received] = await waitFor("the test event", () =>
      receiver.deliveries.length > 0 ? receiver.deliveries : null,
    );
    if (!received) throw new Error("No delivery.");
    const { headers, raw, event } = received;
    expect(event.type).toBe("test.event");
    const now = await stack.now();
    const changed = Buffer.from(raw.toString("utf8").replace("test.event", "text.event"));
    for (const language of snippetTools()) {
      const code = snippets.get(language) ?? "";
      const verdicts = await runSnippet(folder, language, code, [
        { raw, headers, secret, now },
        { raw: changed, headers, secret, now },
        { raw, headers, secret: `${secret}x`, now },
        { raw, headers, secret, now: now + 301_000 },
      ]);
      expect([language, verdicts]).toEqual([language, [true, false, false, false]]);
    }
  });

  it("the request of the page for curl reaches the receiver with a signature that the snippet accepts", async () => {
    const before = receiver.deliveries.length;
    const ran = await runShell(snippets.get("curl") ?? "", { SECRET: secret });
    expect(ran).toBe("ok");
    const { headers, raw } = await waitFor("the request", () => receiver.deliveries[before] ?? null);
    const request = { raw, headers, secret, now: Date.now() };
    expect(await runSnippet(folder, "TypeScript", snippets.get("TypeScript") ?? "", [request])).toEqual([true]);
  });

  it("the endpoint fails, its circuit opens, and the page says since when and when the next try is", async () => {
    receiver.respondWith(() => ({ status: 500 }));
    await peopleWrite(1);
    await openFromRail(hands, owner.page, "Webhooks");
    await says("Failing");
    await peopleWrite(9);
    const health = await waitFor("the open circuit", async () => {
      const now = await readHealth();
      return now.state === "circuit_open" ? now : null;
    });
    await openEndpoint();
    await says("Circuit open");
    await says(new RegExp(`^The circuit is open since \\w+, ${await shownTime(health.since)}\\.$`));
    await says(new RegExp(`The next probe is at ${await shownTime(health.next_try_at)}`));
    await says("The last one failed: the answer was not 2xx.");
    await expect.poll(() => rows().count(), { timeout: SEEN_MS }).toBe(11);
  });

  it("the receiver is mended, and the page that is open says that the circuit has closed", async () => {
    receiver.respondWith(() => ({ status: 200 }));
    await stack.clock("PT61S");
    await owner.page.getByText("The circuit is open since").waitFor({ state: "detached", timeout: SEEN_MS });
    await says("Active");
    await waitFor(
      "the waiting events",
      () => new Set(eventIds(receiver.deliveries.filter(({ status }) => status === 200))).size >= 12,
      { seconds: 60 },
    );
    expect((await readHealth()).state).toBe("ok");
  });

  it("one delivery is opened and sent again after a question, with the same event", async () => {
    const { page } = owner;
    await waitUntilIdle(stack);
    // A person who comes later: their page has the time of the server again.
    await page.reload();
    await expect.poll(() => rows().filter({ hasText: "Delivered" }).count(), { timeout: SEEN_MS }).toBe(11);
    const before = receiver.deliveries.length;
    await hands.press(page, rows().nth(3).getByRole("link"));
    const pane = page.getByRole("region", { name: "Delivery", exact: true });
    await pane.getByText(/^evt_/).waitFor();
    const eventId = /evt_\w+/.exec(await pane.innerText())?.[0];
    await press("Send again");
    await dialog("Send it again?").waitFor();
    await press("Send again");
    await says("The delivery is sent again, with all ten attempts.");
    await waitFor("the event", () => receiver.deliveries.length > before);
    expect(eventIds(receiver.deliveries.slice(before))).toEqual([eventId]);
    await press("Close the delivery");
  });

  it("what a pause blocked is counted, and then sent again as a range", async () => {
    await press("More actions");
    await press("Pause");
    await dialog("Pause this endpoint?").waitFor();
    await press("Pause");
    await says("This endpoint is paused.");
    const before = receiver.deliveries.length;
    await peopleWrite(3);
    expect(receiver.deliveries).toHaveLength(before);
    await press("Resume");
    await owner.page.getByText("This endpoint is paused.").waitFor({ state: "detached" });
    await press("Send many again");
    await press("Count");
    await says("3 deliveries match.");
    expect(receiver.deliveries).toHaveLength(before);
    await press("Send 3 again");
    await says("3 are sent again.");
    await waitFor("the range", () => receiver.deliveries.length === before + 3);
    expect(new Set(eventIds(receiver.deliveries.slice(before))).size).toBe(3);
    await hands.press(owner.page, owner.page.getByRole("dialog").getByRole("button", { name: "Close" }).last());
  });

  it("the endpoint is deleted after its host was typed", async () => {
    await press("More actions");
    await press("Delete");
    await hands.write(owner.page, owner.page.getByLabel("Type 127.0.0.1 to confirm"), "127.0.0.1");
    await press("Delete");
    await says("No endpoint receives events yet.");
    expect((await stack.api("GET", "/v1/webhooks")).body.data.endpoints).toEqual([]);
    expect(owner.visit.complaints).toEqual([]);
    expect(owner.visit.foreignUrls).toEqual([]);
  });
});
