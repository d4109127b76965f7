import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMails } from "../../../e2e/accounts/browser.ts";
import {
  type ConsoleVisit,
  rowOf,
  signInByMail,
  visitConsole,
  waitUntilLive,
} from "../../../e2e/console/console-visit.ts";
import { runAdmin } from "../../../e2e/support/admin.ts";
import { personWrites } from "../../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import { bothHands, openFromRail } from "../support/hands.ts";
import { arrive, openedOwner } from "../support/walker.ts";

// An owner and somebody who is invited, each in a browser of their own. The tests of each way of working continue one
// another.

const NADIA = "nadia@local.invalid";

describe.each(bothHands)("the team at the console by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const owner = openedOwner(stack, hands);
  let nadia: ConsoleVisit;
  beforeAll(async () => {
    nadia = await visitConsole(stack, await testBrowser(), hands.screen);
  });
  afterAll(() => nadia?.context.close());

  const press = ({ page }: Pick<ConsoleVisit, "page">, name: string) =>
    hands.press(page, page.getByRole("button", { name, exact: true }).last());
  const says = (visit: Pick<ConsoleVisit, "page">, text: string) => visit.page.getByText(text).first().waitFor();
  const railNames = async ({ page }: ConsoleVisit) => {
    const links = page.getByRole("navigation", { name: "Console" }).locator("a");
    await links.first().waitFor();
    return [...new Set(await links.allInnerTexts())].join(" ");
  };

  /** The owner invites her, and a mail arrives. */
  async function invite(address = NADIA) {
    const { page } = owner;
    const before = (await readMails(stack)).length;
    await press(owner, "Invite someone");
    await hands.write(page, page.getByLabel("Email address"), address);
    await press(owner, "Send the invite");
    await says(owner, `An invite is on its way to ${address}.`);
    const mail = await waitFor("the mail of the invite", async () => {
      const mails = await readMails(stack);
      return mails.length > before ? mails[0] : null;
    });
    expect(mail.to).toEqual([address]);
    return mail;
  }

  it("an owner chooses the language of mails, and the next invite is written in it", async () => {
    const choose = async (language: string) => {
      await press(owner, "Change the language");
      await hands.check(owner.page, owner.page.getByRole("dialog").getByLabel(language));
      await press(owner, "Save");
      await says(owner, `Mails of this workspace are in ${language} now.`);
    };
    await openFromRail(hands, owner.page, "Team");
    await choose("German");
    const { text } = await invite("lena@local.invalid");
    expect(text).toContain("Sie sind eingeladen");
    await choose("English");
  });

  it("who is invited signs in by a mail in a second browser, and reads the inbox of the workspace", async () => {
    await openFromRail(hands, owner.page, "Team");
    await invite();
    await owner.page.getByRole("list", { name: "Open invites" }).getByText(NADIA).waitFor();
    await arrive(stack, nadia, hands, { email: NADIA, name: "Nadia Okan" });
    expect(new URL(nadia.page.url()).pathname).toBe("/app/demo/inbox");
  });

  it("two people who open the same conversation see each other at once, and that the other one writes", async () => {
    await personWrites(stack, "instagram_login", "Shared Sam", "Do you ship to Spain?");
    await openFromRail(hands, owner.page, "Inbox");
    await Promise.all([waitUntilLive(owner.visit), waitUntilLive(nadia)]);
    await hands.press(owner.page, rowOf(owner.page, "Shared Sam"));
    // A colleague who comes later learns who is there.
    await owner.page.waitForTimeout(6_000);
    await hands.press(nadia.page, rowOf(nadia.page, "Shared Sam"));
    const expectWords = ({ page }: Pick<ConsoleVisit, "page">, words: RegExp) =>
      page.locator(".thread-head").getByText(words).filter({ visible: true }).first().waitFor();
    await expectWords(owner, /Nadia Okan.* is reading/);
    await expectWords(nadia, /Ines Marlow.* is reading/);
    await hands.write(nadia.page, nadia.page.getByRole("textbox", { name: "Reply to Shared Sam" }), "Yes, we ");
    await expectWords(owner, /Nadia Okan.* is writing/);
    if (hands.how === "keyboard") await rowOf(owner.page, "Shared Sam").locator(".typing").waitFor();
    // She stops: her page says that she reads again.
    await expectWords(owner, /Nadia Okan.* is reading/);
    if (hands.how === "touch")
      await hands.press(nadia.page, nadia.page.getByRole("link", { name: "Back to the list" }));
    await openFromRail(hands, nadia.page, "Team");
    await owner.page
      .locator(".thread-head")
      .getByText(/Nadia Okan/)
      .first()
      .waitFor({ state: "detached" });
  });

  it("a changed role shows further pages", async () => {
    if (hands.how === "touch")
      await hands.press(owner.page, owner.page.getByRole("link", { name: "Back to the list" }));
    expect(await railNames(nadia)).not.toContain("Audit");
    await openFromRail(hands, owner.page, "Team");
    await press(owner, "Actions for Nadia Okan");
    await press(owner, "Change role");
    await hands.check(owner.page, owner.page.getByRole("dialog").getByLabel("Admin"));
    await press(owner, "Save");
    await says(owner, "Nadia Okan is Admin now.");
    await nadia.page.reload();
    await expect.poll(() => railNames(nadia), { timeout: 20_000 }).toContain("Audit");
    await openFromRail(hands, nadia.page, "Audit");
  });

  it("who is removed reads what to do, and accepts one of two later invites by its button", async () => {
    await press(owner, "Actions for Nadia Okan");
    await press(owner, "Remove");
    await hands.write(owner.page, owner.page.getByRole("dialog").getByRole("textbox"), NADIA);
    await press(owner, "Remove");
    await says(owner, "Nadia Okan is removed.");
    await nadia.page.reload();
    await says(nadia, `Ask a colleague for an invite to ${NADIA}`);
    const { status } = await nadia.page
      .context()
      .request.get(`${stack.info.base_url}/v1/conversations?tenant=demo`)
      .then((answer) => ({ status: answer.status() }));
    expect(status).toBe(403);

    // With two invites, none is accepted by signing in.
    await invite();
    const { code } = await runAdmin(stack.dataDir, "tenant", "create", "studio", "--owner", NADIA);
    expect(code).toBe(0);
    await nadia.page.context().clearCookies();
    await nadia.page.goto(`${stack.info.base_url}/app`);
    await signInByMail(stack, nadia, {
      email: NADIA,
      send: () => hands.press(nadia.page, nadia.page.getByRole("button")),
    });
    const accept = nadia.page.getByRole("button", { name: /^Accept: / });
    await expect.poll(() => accept.count(), { timeout: 20_000 }).toBe(2);
    await hands.press(
      nadia.page,
      nadia.page
        .getByRole("listitem")
        .filter({ hasText: "(demo), as agent" })
        .getByRole("button", { name: /^Accept: / }),
    );
    await nadia.page.getByRole("heading", { name: "Inbox" }).waitFor();
    expect(await railNames(nadia)).not.toContain("Audit");
    const members = (visit: Pick<ConsoleVisit, "page">) =>
      visit.page.getByRole("list", { name: "Members" }).getByRole("listitem");
    await openFromRail(hands, nadia.page, "Team");
    await expect.poll(() => members(nadia).count(), { timeout: 20_000 }).toBe(2);
    expect([...owner.visit.complaints, ...nadia.complaints]).toEqual([]);
  });
});
