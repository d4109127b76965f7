import { describe, expect, it } from "vitest";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { openedOnce } from "../../../support/opened.ts";
import { bothHands, openFromRail } from "../support/hands.ts";
import { runShell } from "../support/snippet-runner.ts";
import { openedOwner } from "../support/walker.ts";

// The owner makes keys, a program uses them, and one is revoked. The tests of each way of working continue one another.

describe.each(bothHands)("the keys at the console by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const owner = openedOwner(stack, hands);
  const secrets: Record<string, string> = {};
  let curl = "";

  const press = (name: string) => hands.press(owner.page, owner.page.getByRole("button", { name, exact: true }).last());
  const row = (name: string) =>
    owner.page.getByRole("table", { name: "Keys" }).getByRole("row").filter({ hasText: name });
  const call = (secret: string | undefined, path = "/v1/conversations") => stack.api("GET", path, undefined, secret);

  /** Makes a key. @returns its secret, as the page shows it once */
  async function make(name: string, choose: () => Promise<void>): Promise<string> {
    const { page } = owner;
    await press("Create a key");
    await hands.write(page, page.getByRole("textbox"), name);
    await choose();
    await press("Create");
    const dialog = page.getByRole("dialog", { name: "Copy the key now" });
    await dialog.waitFor();
    const secret = await dialog.locator(".secret code").innerText();
    await hands.check(page, dialog.getByRole("radio", { name: "curl" }));
    curl = await dialog.getByRole("region", { name: "curl" }).innerText();
    await hands.check(page, dialog.getByLabel("I have stored it in a safe place"));
    await press("Done");
    await dialog.waitFor({ state: "detached" });
    return secret;
  }

  it("a live key is made, and the command of the page uses it", async () => {
    await openFromRail(hands, owner.page, "API keys");
    secrets.live = await make("Order desk", async () => undefined);
    expect((await call(secrets.live)).status).toBe(200);
    const answer = JSON.parse(await runShell(curl, { PARLEY_KEY: secrets.live }));
    expect(answer).toMatchObject({ ok: true, data: { conversations: [] } });
    const shown = await row("Order desk").innerText();
    expect([/svc_live_\w{4}…/.test(shown), /\blive\b/.test(shown)]).toEqual([true, true]);
    expect(await owner.page.content()).not.toContain(secrets.live);
  });

  it("a strict test key refuses an unknown name, and the list marks it", async () => {
    secrets.test = await make("Trial", () => hands.check(owner.page, owner.page.getByRole("radio", { name: "test" })));
    await expect.poll(() => row("Trial").innerText(), { timeout: 20_000 }).toMatch(/strict/);
    expect(await row("Order desk").innerText()).not.toMatch(/strict/);
    const misspelled = "/v1/conversations?limt=3";
    expect((await call(secrets.test, misspelled)).status).toBe(400);
    expect((await call(secrets.live, misspelled)).status).toBe(200);
  });

  it("a key is revoked after a question, and its next call is refused", async () => {
    const { page } = owner;
    await press("Revoke Order desk");
    const dialog = page.getByRole("dialog", { name: "Revoke Order desk?" });
    await dialog.getByText(/It was last used \w+, /).waitFor();
    expect((await call(secrets.live)).status).toBe(200);
    await press("Revoke");
    await page.getByText("Order desk is revoked.").first().waitFor();
    await row("Order desk").getByText("Revoked", { exact: true }).waitFor();
    const { status, body } = await call(secrets.live);
    expect([status, body.error?.code]).toEqual([401, "unauthorized"]);
    expect((await call(secrets.test)).status).toBe(200);
    expect(owner.visit.complaints).toEqual([]);
    expect(owner.visit.foreignUrls).toEqual([]);
  });
});
