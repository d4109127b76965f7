import { expect, it } from "vitest";
import { roles } from "../../../../web/console/common/rights.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { openAdmin } from "../support/admin-page.ts";
import { leastRoles, may, type Role } from "../support/route-roles.ts";
import { type SmallWorld, workspace } from "../support/small-world.ts";

// Each page as owner, admin and agent. What a role may do is the least role that the route of the call declares; that the API
// refuses the others is in test/functions/route-table. The table of each page is compared with the routes here.

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

interface RolePage {
  readonly name: string;
  readonly path: string;
  /** The call without which the page shows nothing. */
  readonly reads: string;
  readonly shown: string;
  /** The buttons of the page, each with its call. */
  readonly buttons: Readonly<Record<string, string>>;
}

const pages: readonly RolePage[] = [
  {
    name: "accounts",
    path: "/app/acme/accounts",
    reads: "GET /v1/accounts",
    shown: ".account-list li",
    buttons: {
      "Connect an account": "POST /oauth/messenger/start",
      "Log in again: Acme": "POST /oauth/instagram/start",
      "Manage Acme": "DELETE /v1/accounts/{account_key}",
    },
  },
  {
    name: "webhooks",
    path: "/app/acme/webhooks",
    reads: "GET /v1/webhooks",
    shown: "ul[aria-label=Endpoints]",
    buttons: { "Add an endpoint": "POST /v1/webhooks" },
  },
  {
    name: "an endpoint",
    path: "/app/acme/webhooks/end_1",
    reads: "GET /v1/webhooks/{id}",
    shown: "main table",
    buttons: { "Send a test": "POST /v1/webhooks/{id}/test", "Rotate secret": "POST /v1/webhooks/{id}/rotate" },
  },
  {
    name: "a delivery",
    path: "/app/acme/webhooks/end_1/dlv_1",
    reads: "GET /v1/webhooks/{id}/deliveries/{deliveryId}",
    shown: "main table",
    buttons: { "Send again": "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay" },
  },
  {
    name: "keys",
    path: "/app/acme/keys",
    reads: "GET /v1/keys",
    shown: "table[aria-label=Keys]",
    buttons: { "Create a key": "POST /v1/keys", "Revoke Desk": "DELETE /v1/keys/{id}" },
  },
  {
    name: "team",
    path: "/app/acme/team",
    reads: "GET /console/team",
    shown: "ul[aria-label=Members]",
    buttons: {
      "Invite someone": "POST /console/invites",
      "Send again: kim@example.com": "POST /console/invites/{id}/resend",
      "Revoke: kim@example.com": "DELETE /console/invites/{id}",
      "Actions for Ben": "PATCH /console/team/{user_id}",
      "Change the language": "PATCH /console/tenants/{slug}",
    },
  },
  {
    name: "audit",
    path: "/app/acme/audit",
    reads: "GET /v1/audit",
    shown: "table[aria-label='Audit log']",
    buttons: { "Download CSV": "GET /v1/audit" },
  },
];

/** A workspace in which the person has a role. */
function fill(role: Role) {
  return (world: SmallWorld): void => {
    const { office, webhooks } = world;
    world.workspaces = [workspace("acme", "Acme", { role })];
    world.accounts = world.accounts.map((account) => ({ ...account, status: "needs_reauth" }));
    office.addMember("usr_me", "Mia", role);
    office.addMember("usr_ben", "Ben", "agent");
    office.addInvite("inv_1", "kim@example.com");
    office.addKey("desk", "Desk");
    office.addEntry("session.sign_in", "console:usr_me");
    webhooks.addEndpoint("end_1", "https://erp.example/parley");
    webhooks.addDelivery("failed");
  };
}

/** The calls as the routes name them. */
function routesOf(calls: readonly string[]): string[] {
  const known = [...leastRoles.keys()];
  const shape = (operation: string) => operation.replace(/\{\w+\}/g, "{}");
  return calls.flatMap((call) => known.find((operation) => shape(operation) === shape(call)) ?? []);
}

it.each(pages.flatMap((page) => roles.map((role) => ({ ...page, role }))))(
  "the page of $name has for an $role what the API lets an $role do, and makes no call that it refuses",
  async ({ path, reads, shown, buttons, role }) => {
    const world = await openAdmin([browser, server], fill(role));
    const { page } = world;
    await world.open(path);
    if (may(role, reads)) {
      await page.locator(shown).first().waitFor();
      for (const [name, operation] of Object.entries(buttons)) {
        const button = page.getByRole("button", { name, exact: true });
        if (may(role, operation)) await button.first().waitFor();
        else expect([name, await button.count()]).toEqual([name, 0]);
      }
    } else {
      await page.getByRole("heading", { name: "Your role does not show this page" }).waitFor();
      expect(await page.locator("main").getByRole("button").count()).toBe(0);
      const link = page.getByRole("navigation").locator(`a[href="${path.split("/").slice(0, 4).join("/")}"]`);
      expect(await link.count()).toBe(0);
      expect(world.calls).not.toContain(reads);
    }
    expect(routesOf(world.calls).filter((operation) => !may(role, operation))).toEqual([]);
    expect(world.complaints).toEqual([]);
  },
);
