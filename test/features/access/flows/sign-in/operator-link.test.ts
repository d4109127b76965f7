import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { createOperatorLink } from "#features/access/flows/sign-in/operator-link.ts";
import type { OperatorLinkPorts } from "#features/access/flows/sign-in/ports.ts";
import { signIn } from "#features/access/flows/sign-in/sign-in.ts";
import { faultPoints, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { openSignInFixture } from "../support/sign-in-fixture.ts";

// The link that `npm run admin -- sign-in-link` creates.

let address: string;
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));
beforeEach(() => {
  ({ address } = fixture.newPerson());
});

const create = (ports: OperatorLinkPorts = fixture.ports()) =>
  createOperatorLink(ports, { address, author: { actor: "cli" }, now: testEnv.now() });

async function entries(tenant: TenantId) {
  const { rows } = await fixture.stores.audit.list(tenant, { before: null, limit: 50, now: testEnv.now() });
  return rows.filter(({ action }) => action === "session.create_link");
}

async function signedInBy(token: string | undefined) {
  const result = await signIn(fixture.ports(), { token: token ?? "", ip: null, now: testEnv.now() });
  if (isRefusal(result)) throw new Error("The link is not valid.");
  return result;
}

it("a member gets a link that signs them in to the console, with an entry by the command line in each of their tenants", async () => {
  const { user, tenants } = await fixture.newUser(address, 2);
  const link = await create();
  expect(link).toMatchObject({ expiresAt: testEnv.now() + 15 * MINUTE });
  expect([...(link?.tenants ?? [])].sort()).toEqual([...tenants].sort());
  for (const tenant of tenants) {
    expect(await entries(tenant)).toMatchObject([
      { actor: "cli", ip: null, resource: `user:${user.id}`, detail: {}, at: testEnv.now() },
    ]);
  }
  const { session, redirect } = await signedInBy(link?.token);
  expect(redirect).toBe("/app");
  expect(await fixture.isSessionOf(user, session.token)).toBe(true);
});

it("an invited person gets a link, with an entry about the invite in the tenant that invited them", async () => {
  const invite = await fixture.newInvite(address);
  const link = await create();
  expect(link?.tenants).toEqual([invite.tenant]);
  expect(await entries(invite.tenant)).toMatchObject([{ actor: "cli", resource: `invite:${invite.id}` }]);
  await signedInBy(link?.token);
  const userId = await fixture.stores.users.getIdByAddress(fixture.hashes(address));
  expect(await fixture.stores.memberships.get(invite.tenant, userId ?? "")).toMatchObject({ role: "agent" });
});

it("a member whom another tenant invites gets one link, with an entry in both tenants", async () => {
  const { user, tenants } = await fixture.newUser(address);
  const invite = await fixture.newInvite(address);
  expect((await create())?.tenants).toHaveLength(2);
  expect(await entries(tenants[0] as TenantId)).toMatchObject([{ resource: `user:${user.id}` }]);
  expect(await entries(invite.tenant)).toMatchObject([{ resource: `invite:${invite.id}` }]);
});

it("an owner whom the operator named gets a link also a year later, because the invite does not expire", async () => {
  const tenant = newTenant();
  const at = testEnv.now();
  const audit = { action: "tenant.create", resource: "-", actor: "cli", ip: null, detail: {}, at } as const;
  await fixture.stores.tenants.create(
    { id: tenant, name: "Shop", status: "active", ownerEmail: address, createdAt: at },
    audit,
    {
      invite: {
        id: "inv_named",
        tenant,
        email: address,
        role: "owner",
        status: "pending",
        invitedBy: "cli",
        createdAt: at,
        expiresAt: null,
        acceptedAt: null,
      },
      addressHashes: fixture.hashes(address),
      audit: { ...audit, action: "invite.create" },
    },
  );
  testEnv.advance(365 * DAY);
  expect((await create())?.tenants).toEqual([tenant]);
  expect(await entries(tenant)).toMatchObject([{ resource: "invite:inv_named" }]);
});

it("a stranger and a person whose invite has expired get no link, and nothing is stored", async () => {
  await fixture.newInvite(address);
  testEnv.advance(8 * DAY);
  const before = await fixture.wholeTable();
  expect(await create()).toBeNull();
  ({ address } = fixture.newPerson());
  expect(await create()).toBeNull();
  expect(await fixture.wholeTable()).toBe(before);
});

it("a former member gets no link, and nothing is stored", async () => {
  const { user } = await fixture.newUser(address, 0);
  const before = await fixture.wholeTable();
  expect(await fixture.stores.users.getIdByAddress(fixture.hashes(address))).toBe(user.id);
  expect(await create()).toBeNull();
  expect(await fixture.wholeTable()).toBe(before);
});

it.each(faultPoints)(
  "a command that dies at a call or loses its answer (%s) leaves no link without an entry in each tenant, and works again",
  async (point) => {
    for (let call = 0; ; call++) {
      ({ address } = fixture.newPerson());
      const { tenants } = await fixture.newUser(address, 2);
      const ports = fixture.ports();
      const ids: string[] = [];
      const loginTokens = {
        ...ports.loginTokens,
        create: (...args: Parameters<typeof ports.loginTokens.create>) => {
          ids.push(args[0]);
          return ports.loginTokens.create(...args);
        },
      };
      const strike = injectFaultAt(testEnv.clients, point, call);
      await Promise.allSettled([create({ ...ports, loginTokens })]);
      strike.remove();
      if (!strike.reached()) break;
      const links = await Promise.all(ids.map((id) => fixture.stores.loginTokens.get(id)));
      const counts = await Promise.all(tenants.map(async (tenant) => (await entries(tenant)).length));
      if (links.some((link) => link !== null)) expect(counts, `call ${call}`).toEqual([1, 1]);
      const link = await create();
      await signedInBy(link?.token);
      for (const tenant of tenants) expect((await entries(tenant)).length).toBeGreaterThanOrEqual(1);
    }
  },
);
