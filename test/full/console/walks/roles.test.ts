import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboxPath } from "../../../../web/console/paths.ts";
import { type ConsoleVisit, OWNER, visitConsole } from "../../../e2e/console/console-visit.ts";
import { createTestWebhook, listDeliveries, personWrites, simulatedAccount } from "../../../e2e/support/api-calls.ts";
import { waitUntilIdle } from "../../../e2e/support/emulator-journals.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openReceiver } from "../../../e2e/support/webhook-receiver.ts";
import { apiRows, connectRows, consoleRows, routeName } from "../../../functions/route-table/rows.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import { bothHands, openFromRail } from "../support/hands.ts";
import { may, type Role, refusedOperations } from "../support/route-roles.ts";
import { arrive } from "../support/walker.ts";

// An owner, an admin and an agent open every page of the console. What the routes of the API do not allow a role is absent
// from its pages, and the API refuses it.

const people: Readonly<Record<Role, { readonly email: string; readonly name: string }>> = {
  owner: { email: OWNER, name: "Ines Marlow" },
  admin: { email: "adam@local.invalid", name: "Adam Ruiz" },
  agent: { email: "nadia@local.invalid", name: "Nadia Okan" },
};
const roles = ["owner", "admin", "agent"] as const;

const rows = { ...apiRows, ...consoleRows, ...connectRows };

function rowOf(operation: string) {
  const row = Object.entries(rows).find(([name]) => routeName(name) === operation)?.[1];
  if (!row) throw new Error(`The route table has no ${operation}.`);
  return row;
}

/** Whether the tenant is that of a login: then no one is refused at its end, because they could not begin it. */
function endsLogin(operation: string): boolean {
  const { kind, tenant } = rowOf(operation);
  return kind === null && tenant === "resource";
}

interface RolePage {
  readonly label: string;
  /** The call without which the page shows nothing; null where it has something for everyone. */
  readonly reads: string | null;
  /** What is there when the page is loaded. */
  readonly shown: string;
  /** The buttons of the page, each with its call. */
  readonly buttons: Readonly<Record<string, string>>;
}

/** The pages of the rail. */
const pages: readonly RolePage[] = [
  { label: "Waiting", reads: null, shown: "main li", buttons: {} },
  { label: "Overview", reads: null, shown: "main .panel", buttons: {} },
  {
    label: "Accounts",
    reads: null,
    shown: ".account-list li",
    buttons: {
      "Connect an account": "POST /oauth/messenger/start",
      "Log in again: ": "POST /oauth/messenger/start",
      "Manage ": "DELETE /v1/accounts/{account_key}",
    },
  },
  {
    label: "Webhooks",
    reads: "GET /v1/webhooks",
    shown: "ul[aria-label=Endpoints]",
    buttons: { "Add an endpoint": "POST /v1/webhooks" },
  },
  {
    label: "API keys",
    reads: "GET /v1/keys",
    shown: "table[aria-label=Keys]",
    buttons: { "Create a key": "POST /v1/keys", "Revoke ": "DELETE /v1/keys/{id}" },
  },
  {
    label: "Team",
    reads: null,
    shown: "ul[aria-label=Members]",
    buttons: {
      "Invite someone": "POST /console/invites",
      "Send again: lou@local.invalid": "POST /console/invites/{id}/resend",
      "Revoke: lou@local.invalid": "DELETE /console/invites/{id}",
      "Actions for Late Leo": "PATCH /console/team/{user_id}",
      "Change the language": "PATCH /console/tenants/{slug}",
    },
  },
  {
    label: "Audit",
    reads: "GET /v1/audit",
    shown: "table[aria-label='Audit log']",
    buttons: { "Download CSV": "GET /v1/audit" },
  },
];

/** A call of the API with the session of the page. */
const call = (page: Page, method: string, path: string, body?: object): Promise<{ status: number; code: string }> =>
  page.evaluate(`(async () => {
    const token = document.cookie.match(/console_csrf=([^;]*)/)?.[1] ?? "";
    const headers = { accept: "application/json", "content-type": "application/json", "x-csrf-token": token };
    const body = ${body === undefined ? "undefined" : JSON.stringify(JSON.stringify(body))};
    const response = await fetch(${JSON.stringify(path)}, { method: "${method}", headers, body, redirect: "manual" });
    const answer = await response.json().catch(() => ({}));
    return { status: response.status, code: answer.error?.code ?? "" };
  })()`);

describe.each(bothHands)("every page of the console as owner, admin and agent by $how", (hands) => {
  const stack = openedOnce(openSharedStack);
  const receiver = openedOnce(openReceiver);
  const visits = new Map<Role, ConsoleVisit>();
  /** What the API refused for a role, since its page was opened. */
  const refusals = new Map<Role, string[]>();
  const ids = { conversation: "", endpoint: "", delivery: "" };

  const visitOf = (role: Role): ConsoleVisit => {
    const visit = visits.get(role);
    if (!visit) throw new Error(`No ${role} is signed in.`);
    return visit;
  };
  /** A request of an operation, with ids that exist nowhere: a route judges the role before it reads one. */
  const requestOf = (operation: string) => {
    const row = rowOf(operation);
    const id = row.kind === "tenant" ? "demo" : "01J00000000000000000000000";
    const { path, body } = row.request({ id, ownEndpointId: ids.endpoint, actorId: "" });
    return { path: `${path}${path.includes("?") ? "&" : "?"}tenant=demo`, ...(body ? { body } : {}) };
  };

  beforeAll(async () => {
    ids.conversation = await personWrites(stack, "instagram_login", "Asking Ada", "Is it there?");
    receiver.respondWith(() => ({ status: 200 }));
    ids.endpoint = (await createTestWebhook(stack, receiver.url)).id;
    await stack.api("POST", `/v1/webhooks/${ids.endpoint}/test`);
    await waitFor("the test event", () => receiver.deliveries.length > 0);
    await waitUntilIdle(stack);
    ids.delivery = (await listDeliveries(stack, ids.endpoint))[0]?.delivery_id ?? "";
    await stack.sim("POST", "/tokens", { ...simulatedAccount(stack, "messenger"), action: "revoke" });
    // A send is refused, so that the account must be logged in again.
    const lost = await personWrites(stack, "messenger", "Lost Lee", "Hello?");
    await stack.api("POST", "/v1/messages/reply", { conversation_id: lost, text: "Here" });
    const browser = await testBrowser();
    for (const role of roles) {
      const visit = await visitConsole(stack, browser, hands.screen);
      visits.set(role, visit);
      await arrive(stack, visit, hands, people[role]);
      if (role !== "owner") continue;
      const invite = (email: string, invited: Role) =>
        call(visit.page, "POST", "/console/invites?tenant=demo", { email, role: invited });
      await invite(people.admin.email, "admin");
      await invite(people.agent.email, "agent");
      await invite("leo@local.invalid", "agent");
      const leo = await visitConsole(stack, browser, hands.screen);
      await arrive(stack, leo, hands, { email: "leo@local.invalid", name: "Late Leo" });
      await leo.context.close();
      await invite("lou@local.invalid", "agent");
    }
    for (const role of roles) {
      const noted: string[] = [];
      refusals.set(role, noted);
      visitOf(role).page.on("response", (response) => {
        if (response.status() === 403) noted.push(`${response.request().method()} ${response.url()}`);
      });
    }
  }, 300_000);
  afterAll(async () => {
    for (const { context } of visits.values()) await context.close();
  });

  /** Each button of a page is there exactly where the role may make its call. */
  async function expectButtons(role: Role, buttons: RolePage["buttons"]): Promise<void> {
    const { page } = visitOf(role);
    for (const [name, operation] of Object.entries(buttons)) {
      const button = page.locator("main").getByRole("button", { name });
      if (may(role, operation)) await button.first().waitFor();
      else expect([name, await button.count()]).toEqual([name, 0]);
    }
  }

  it.each(roles)(
    "the pages of the rail have for an %s what the API lets them do, and no refused call",
    async (role) => {
      const { page } = visitOf(role);
      for (const { label, reads, shown, buttons } of pages) {
        if (reads === null || may(role, reads)) {
          await openFromRail(hands, page, label);
          await page.locator(shown).first().waitFor();
          await expectButtons(role, buttons);
        } else {
          const link = page.getByRole("navigation", { name: "Console" }).locator("a", { hasText: label });
          expect([label, await link.count()]).toEqual([label, 0]);
        }
      }
      expect(refusals.get(role)).toEqual([]);
    },
  );

  it.each(roles)("an endpoint, a delivery and a person have for an %s what the API lets them do", async (role) => {
    const { page } = visitOf(role);
    const pagesWithIds = [
      {
        path: `/app/demo/webhooks/${ids.endpoint}`,
        reads: "GET /v1/webhooks/{id}",
        shown: "main table",
        buttons: { "Send a test": "POST /v1/webhooks/{id}/test", "Rotate secret": "POST /v1/webhooks/{id}/rotate" },
      },
      {
        path: `/app/demo/webhooks/${ids.endpoint}/${ids.delivery}`,
        reads: "GET /v1/webhooks/{id}/deliveries/{deliveryId}",
        shown: ".attempts li",
        buttons: { "Send again": "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay" },
      },
    ];
    for (const { path, reads, shown, buttons } of pagesWithIds) {
      await page.goto(stack.info.base_url + path);
      if (may(role, reads)) {
        await page.locator(shown).first().waitFor();
        await expectButtons(role, buttons);
      } else {
        await page.getByRole("heading", { name: "Your role does not show this page" }).waitFor();
        expect(await page.locator("main").getByRole("button").count()).toBe(0);
      }
    }
    await page.goto(stack.info.base_url + inboxPath("demo", ids.conversation));
    await page.getByRole("log", { name: "Messages" }).waitFor();
    if (hands.how === "touch") await hands.press(page, page.getByRole("button", { name: "About this person" }));
    const erase = page.getByRole("button", { name: /^Erase/ });
    if (may(role, "DELETE /v1/conversations/{id}")) await erase.waitFor();
    else {
      await page.getByRole("heading", { name: "Asking Ada" }).last().waitFor();
      expect(await erase.count()).toBe(0);
    }
    expect(refusals.get(role)).toEqual([]);
    expect(visitOf(role).complaints).toEqual([]);
  });

  it.each(["admin", "agent"] as const)("the API refuses an %s every call above their role", async (role) => {
    const operations = refusedOperations(role).filter((operation) => !endsLogin(operation));
    expect(operations.length).toBeGreaterThan(role === "agent" ? 20 : 1);
    for (const operation of operations) {
      const { path, body } = requestOf(operation);
      const [method = ""] = operation.split(" ");
      expect([operation, await call(visitOf(role).page, method, path, body)]).toEqual([
        operation,
        { status: 403, code: "forbidden" },
      ]);
    }
  });
});
