import { afterAll, beforeAll } from "vitest";
import {
  type ConsoleVisit,
  nameOneself,
  OWNER,
  signInByMail,
  visitConsole,
} from "../../../e2e/console/console-visit.ts";
import type { LocalStack } from "../../../e2e/support/local-stack.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import type { Hands } from "./hands.ts";

/** Signs a person in by the mailed link, and names them. They arrive at the inbox. */
export async function arrive(
  stack: LocalStack,
  visit: ConsoleVisit,
  hands: Hands,
  { email, name }: { email: string; name: string },
): Promise<void> {
  const { page } = visit;
  await signInByMail(stack, visit, { email, send: () => hands.press(page, page.getByRole("button")) });
  await nameOneself(visit, name);
}

/** The owner of the demo tenant, who is signed in at the console before the first test, in a browser of their own. */
export function openedOwner(stack: LocalStack, hands: Hands, name = "Ines Marlow") {
  const opened: { visit?: ConsoleVisit } = {};
  beforeAll(async () => {
    opened.visit = await visitConsole(stack, await testBrowser(), { ...hands.screen, acceptDownloads: true });
    await arrive(stack, opened.visit, hands, { email: OWNER, name });
  });
  afterAll(() => opened.visit?.context.close());
  return {
    get visit(): ConsoleVisit {
      if (!opened.visit) throw new Error("The owner arrives before the tests: use them within one.");
      return opened.visit;
    },
    get page() {
      return this.visit.page;
    },
  };
}
