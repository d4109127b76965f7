import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitUntilLive } from "../../../e2e/console/console-visit.ts";
import { personWrites } from "../../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { openedOnce } from "../../../support/opened.ts";
import { bothHands, type Hands } from "../support/hands.ts";
import { openedOwner } from "../support/walker.ts";

// A browser without a screen has no notifications: the page gets its answer, and notes what it asks for.

const browserThat = (answer: "granted" | "denied") => `{
  window.shown = [];
  window.Notification = class extends EventTarget {
    static permission = "default";
    static async requestPermission() { return (this.permission = "${answer}"); }
    constructor(title, { body }) { super(); shown.push(title + ": " + body); }
    close() {}
  };
  let isHidden = false;
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (isHidden ? "hidden" : "visible") });
  window.look = (isAway) => { isHidden = isAway; document.dispatchEvent(new Event("visibilitychange")); };
}`;

const shown = (page: Page) => page.evaluate<string[]>("shown");
const SWITCH = /^Desktop notifications: /;

/** Opens the menu at the initials. @returns the switch */
async function openMenu({ press }: Hands, page: Page) {
  await press(page, page.getByRole("button", { name: "Profile", exact: true }));
  return page.getByRole("button", { name: SWITCH });
}

describe.each(bothHands)("the notifications of the console by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const owner = openedOwner(stack, hands);

  it("who refuses them in the browser reads where to allow them, and nothing is switched on", async () => {
    const { page } = owner;
    await page.addInitScript(browserThat("denied"));
    await page.reload();
    await hands.press(page, await openMenu(hands, page));
    await page.getByText("The browser blocks notifications of this page.").first().waitFor();
    expect(await page.evaluate("Notification.permission")).toBe("denied");
    const { notifications } = JSON.parse(await page.evaluate("localStorage.getItem('parley.preferences')"));
    expect(notifications).toBe(false);
    expect(await (await openMenu(hands, page)).innerText()).toBe("Desktop notifications: blocked");
    await page.keyboard.press("Escape");
  });

  it("who allows them sees one when a message arrives while they look elsewhere", async () => {
    const { page } = owner;
    await page.addInitScript(browserThat("granted"));
    await page.reload();
    await waitUntilLive(owner.visit);
    await hands.press(page, await openMenu(hands, page));
    await expect.poll(() => shown(page), { timeout: 20_000 }).toHaveLength(1);
    expect(await (await openMenu(hands, page)).innerText()).toBe("Desktop notifications: on");
    await page.keyboard.press("Escape");
    await personWrites(stack, "instagram_login", "Seen Sara", "While you look");
    await page.evaluate("look(true)");
    await personWrites(stack, "instagram_login", "Away Abel", "A private matter");
    await expect.poll(() => shown(page), { timeout: 20_000 }).toHaveLength(2);
    // Others may read them.
    expect((await shown(page))[1]).toBe("Parley: New message");
    await page.evaluate("look(false)");

    await hands.press(page, await openMenu(hands, page));
    await page.evaluate("look(true)");
    await personWrites(stack, "instagram_login", "Late Lena", "After they are off");
    await page.locator(".row", { hasText: "Late Lena" }).waitFor({ state: "attached" });
    expect(await shown(page)).toHaveLength(2);
    expect(owner.visit.complaints).toEqual([]);
  });
});
