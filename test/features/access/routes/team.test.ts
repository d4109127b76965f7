import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, iso } from "#base/kernel/time.ts";
import { sealSession } from "#features/access/sessions.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { answerOf } from "../../../support/processes/work-left.ts";
import { openConsoleApp } from "../../../support/routes/console-app.ts";
import { toTestSession } from "../../../support/routes/sessions.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { newEmail, useTeam } from "../flows/team/support/team.ts";

const sessionRing = oneKeyRing(Buffer.alloc(32, 1));
let tenant: TenantId;
let owner: string;
let admin: string;
const { testEnv, team } = useTeam();
const app = openedOnce(() => consoleApp(false));
beforeEach(async () => {
  tenant = await team.newTenant();
  owner = await team.newMember(tenant, "owner");
  admin = await team.newMember(tenant, "admin");
});

function consoleApp(isSignUpOpen: boolean, inviteLimits = team.ports.inviteLimits): FetchApp {
  const keys = { sessionKeys: async () => sessionRing, loginKeys: async () => sessionRing };
  return openConsoleApp(testEnv, { ...team.ports, ...keys, isSignUpOpen, inviteLimits });
}

/** A request of a signed-in person, with CSRF token. */
async function call(userId: string, route: string, body?: unknown, to = app) {
  const [method = "", path = ""] = route.split(" ");
  const session = await sealSession(sessionRing, { userId, epoch: 0, now: testEnv.now() });
  const headers = { ...toTestSession(userId, session).writeHeaders, "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const request = new Request(`http://gateway/console/${path}`, init);
  const response = await answerOf(async () => to.fetch(request, { sourceIp: "203.0.113.7" }));
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  const { data, error } = (await response.json()) as any;
  return { status: response.status, data, error };
}
const refused = (status: number, code: string) => ({ status, error: { code } });

it("the team is listed, and each member has the documented fields", async () => {
  const { status, data } = await call(admin, "GET team");
  expect(status).toBe(200);
  const member = {
    tenant,
    user_id: owner,
    email: (await team.author(owner)).caller.email,
    name: null,
    role: "owner",
    created_at: iso(testEnv.now()),
    invited_by: "cli",
  };
  expect(data.members).toHaveLength(2);
  expect(data.members).toContainEqual(member);
  const promoted = await call(owner, `PATCH team/${admin}`, { role: "owner" });
  expect(promoted).toMatchObject({ status: 200, data: { member: { user_id: admin, role: "owner" } } });
  expect(await call(owner, `DELETE team/${owner}`)).toMatchObject({ status: 200, data: { removed: true } });
  expect(await call(owner, "GET team")).toMatchObject(refused(403, "forbidden"));
  expect(await call(owner, `GET team?tenant=${tenant}`)).toMatchObject(refused(403, "forbidden"));
  expect(await call(admin, `DELETE team/${admin}`)).toMatchObject(refused(409, "last_owner"));
  expect(await call(admin, `PATCH team/${admin}`, { role: "admin" })).toMatchObject(refused(409, "last_owner"));
});

it("the team has no other roles, and none is changed without a role", async () => {
  for (const body of [{ role: "root" }, { role: null }, { role: ["owner"] }, {}, [], "owner", null]) {
    expect(await call(owner, `PATCH team/${admin}`, body)).toMatchObject(refused(400, "invalid_request"));
  }
  expect(await team.roles(tenant)).toMatchObject({ [admin]: "admin" });
});

it("the team is changed by two owners who demote each other at the same time, so that one remains", async () => {
  for (let round = 0; round < 5; round++) {
    tenant = await team.newTenant();
    const [a, b] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "owner")];
    const results = await Promise.all([
      call(a, `PATCH team/${b}`, { role: "agent" }),
      call(b, `PATCH team/${a}`, { role: "agent" }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
    expect([403, 409]).toContain(Math.max(...results.map(({ status }) => status)));
    expect(Object.values(await team.roles(tenant)).sort()).toEqual(["agent", "owner"]);
  }
});

const invitation = (email: string, role = "agent") => ({ email, role });

it("an invite is created, listed, sent again and revoked", async () => {
  const email = newEmail();
  const created = await call(admin, "POST invites", invitation(` ${email}`.trim().toUpperCase()));
  expect(created.status).toBe(201);
  const { invite } = created.data;
  expect(invite).toEqual({
    id: expect.stringMatching(/^inv_/),
    tenant,
    email,
    role: "agent",
    status: "pending",
    invited_by: `console:${admin}`,
    created_at: iso(testEnv.now()),
    expires_at: iso(testEnv.now() + 7 * DAY),
    accepted_at: null,
  });
  expect((await call(admin, "GET invites")).data.invites).toContainEqual(invite);
  expect(await call(admin, "POST invites", invitation(email))).toMatchObject(refused(409, "invite_exists"));
  testEnv.advance(7 * DAY);
  expect((await call(admin, "GET invites")).data.invites).toContainEqual({ ...invite, status: "expired" });
  const resent = await call(admin, `POST invites/${invite.id}/resend`);
  expect(resent).toMatchObject({ status: 200, data: { invite: { status: "pending" } } });
  expect(resent.data.invite.expires_at).toBe(iso(testEnv.now() + 7 * DAY));
  for (let n = 0; n < 2; n++) {
    expect(await call(admin, `DELETE invites/${invite.id}`)).toMatchObject({ status: 200, data: { revoked: true } });
  }
  expect(await call(admin, `POST invites/${invite.id}/resend`)).toMatchObject(refused(404, "invite_not_found"));
});

it("an invite leaves its address in no log, audit row, queue message or error", async () => {
  const email = `canary-${newEmail()}`;
  const start = testEnv.lines.length;
  const { data } = await call(admin, "POST invites", invitation(email));
  const errors = [
    await call(admin, "POST invites", invitation(email)),
    await call(admin, "POST invites", invitation(`${email}@`)),
    await call(admin, "POST invites", invitation(email, "owner")),
    await call(admin, "POST invites", invitation(email, "root")),
  ];
  for (let n = 0; n < 5; n++) errors.push(await call(admin, `POST invites/${data.invite.id}/resend`));
  await team.signIn(email);
  errors.push(await call(admin, `POST invites/${data.invite.id}/resend`));
  const end = injectFaults(testEnv.client, () => {
    throw new Error("A fault.");
  });
  errors.push(await call(admin, "POST invites", invitation(email)));
  end();
  expect(errors.map(({ status }) => status)).toEqual([409, 400, 403, 400, 200, 200, 200, 200, 429, 404, 500]);
  const { rows } = await team.ports.audit.list(tenant, { before: null, limit: 200, now: testEnv.now() });
  const lines = testEnv.lines.slice(start);
  expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(["invite.create", "invite.accept"]));
  expect(lines).not.toEqual([]);
  const traces = JSON.stringify([lines, rows, team.mails, errors.map(({ error }) => error)]).toLowerCase();
  expect(traces).toContain(data.invite.id.toLowerCase());
  expect(traces).not.toContain("canary");
  expect(traces).not.toContain(Buffer.from("canary-person").toString("base64").slice(0, 12).toLowerCase());
});

it("an invite of an owner is created by owners alone", async () => {
  expect(await call(admin, "POST invites", invitation(newEmail(), "owner"))).toMatchObject(refused(403, "forbidden"));
  expect(await call(owner, "POST invites", invitation(newEmail(), "owner"))).toMatchObject({ status: 201 });
});

it.each([
  ["with a line break", "sam@example.com\nbcc: eve@example.com"],
  ["with two @", "sam@eve@example.com"],
  ["of 255 characters", `${"s".repeat(64)}@${"e".repeat(62)}.${"e".repeat(62)}.${"e".repeat(60)}.com`],
  ["without a domain", "sam@"],
  ["that is no text", 1],
  ["that is missing", undefined],
])("an invite of an address %s is refused, and nothing is mailed", async (_name, email) => {
  const mails = team.mails.length;
  expect(await call(admin, "POST invites", { email, role: "agent" })).toMatchObject(refused(400, "invalid_request"));
  expect(team.mails).toHaveLength(mails);
});

it("an invite of an unknown role is refused", async () => {
  for (const role of ["root", "", null, undefined]) {
    const body = { email: newEmail(), role };
    expect(await call(admin, "POST invites", body)).toMatchObject(refused(400, "invalid_request"));
  }
});

it("an invite is not mailed once its address has had five mails in 15 minutes", async () => {
  const email = newEmail();
  const { data } = await call(admin, "POST invites", invitation(email));
  for (let n = 0; n < 4; n++) await call(admin, `POST invites/${data.invite.id}/resend`);
  const mails = team.mails.length;
  const limited = await call(admin, `POST invites/${data.invite.id}/resend`);
  expect(limited).toMatchObject(refused(429, "rate_limited"));
  expect(team.mails).toHaveLength(mails);
});

it("a person's tenants are listed with the role, read and renamed", async () => {
  const expected = {
    id: tenant,
    name: "Shop",
    status: "active",
    language: null,
    created_at: iso(testEnv.now()),
    updated_at: iso(testEnv.now()),
  };
  const listed = await call(admin, "GET tenants");
  expect(listed).toMatchObject({ status: 200, data: { tenants: [{ ...expected, role: "admin" }] } });
  expect((await call(admin, `GET tenants/${tenant}`)).data).toEqual({ tenant: expected });
  expect(await call(admin, `PATCH tenants/${tenant}`, { name: "Mine" })).toMatchObject(refused(403, "forbidden"));
  testEnv.advance(1);
  const renamed = await call(owner, `PATCH tenants/${tenant}`, { name: "Füße & Söhne 👍" });
  const tenantAfter = { ...expected, name: "Füße & Söhne 👍", updated_at: iso(testEnv.now()) };
  expect(renamed).toMatchObject({ status: 200, data: { tenant: tenantAfter } });
  expect((await call(owner, `PATCH tenants/${tenant}`, { language: "de" })).data).toMatchObject({
    tenant: { ...tenantAfter, language: "de" },
  });
  for (const body of [{}, { language: "nl" }, { language: 1 }]) {
    expect(await call(owner, `PATCH tenants/${tenant}`, body)).toMatchObject(refused(400, "invalid_request"));
  }
});

it.each([..."\u200e\u200f\u061c\u200b\ufeff\u202e\u2066\u00ad\u2060\u0000\n\u{e0041}"].map((hidden) => `a${hidden}b`))(
  "a person's tenants have no name with a character that is not shown (%j)",
  async (name) => {
    expect(await call(owner, `PATCH tenants/${tenant}`, { name })).toMatchObject(refused(400, "invalid_request"));
  },
);

it.each(["", " ", "\u00a0\u3000", "\u200d", "\u3164", "\u2800", "\ufe0f", "x".repeat(81), 1, null, undefined])(
  "a person's tenants have no name as %j",
  async (name) => {
    expect(await call(owner, `PATCH tenants/${tenant}`, { name })).toMatchObject(refused(400, "invalid_request"));
  },
);

it("a person's tenants have a name of up to 80 characters, in any script and with joined emoji", async () => {
  for (const name of ["👍".repeat(80), "👩🏽‍🚀 Ann's", "❤️", "کتاب\u200cخانه", "עברית"]) {
    expect(await call(owner, `PATCH tenants/${tenant}`, { name })).toMatchObject({ status: 200 });
  }
});

it("a person's tenants are created where sign-up is open", async () => {
  const userId = await team.signIn(newEmail());
  const body = { id: newTenant(), name: "Shop" };
  expect(await call(userId, "POST tenants", body)).toMatchObject(refused(403, "forbidden"));
  const open = consoleApp(true);
  for (const id of ["ab", "Shop", "a b", "-shop", "shop-", "x".repeat(41), "../etc", 1, undefined]) {
    const answer = await call(userId, "POST tenants", { ...body, id }, open);
    expect(answer).toMatchObject(refused(400, "invalid_request"));
  }
  const created = await call(userId, "POST tenants", body, open);
  expect(created).toMatchObject({ status: 201, data: { tenant: { ...body, status: "active" } } });
  expect(await call(userId, "POST tenants", body, open)).toMatchObject(refused(409, "tenant_exists"));
  expect(await call(userId, "GET me")).toMatchObject({ data: { tenant: body.id } });
  expect(await call(userId, "GET team")).toMatchObject({ data: { members: [{ role: "owner", invited_by: null }] } });
  const create = () => call(userId, "POST tenants", { id: newTenant(), name: "Shop" }, open);
  expect(await create()).toMatchObject({ status: 201 });
  expect(await create()).toMatchObject(refused(409, "workspace_limit"));
});

it("a suspended tenant refuses its members from the next request on, and accepts them again once it is resumed", async () => {
  const setStatus = (status: "active" | "suspended") =>
    setTenantStatus(team.ports, tenant, { status, author: { actor: "cli" } }, testEnv.now());
  const requests = ["GET team", "GET invites", `GET tenants/${tenant}`, `DELETE team/${admin}`];
  await setStatus("suspended");
  for (const route of requests) expect(await call(owner, route), route).toMatchObject(refused(403, "forbidden"));
  expect(await call(owner, "GET tenants")).toMatchObject({ data: { tenants: [{ id: tenant, status: "suspended" }] } });
  expect(await call(owner, "GET me")).toMatchObject({ status: 200 });
  await setStatus("active");
  for (const route of requests) expect(await call(owner, route), route).toMatchObject({ status: 200 });
});

it("a tenant at a limit of invites refuses a further one, and another tenant accepts it", async () => {
  const limits = { pending: 1, tenantMails: 2, personMails: 2 };
  const limited = consoleApp(false, limits);
  const invite = (userId: string) => call(userId, "POST invites", { email: newEmail(), role: "agent" }, limited);
  const first = await invite(owner);
  expect(first).toMatchObject({ status: 201 });
  expect(await invite(owner)).toMatchObject(refused(409, "invite_limit"));
  const resend = () => call(owner, `POST invites/${first.data.invite.id}/resend`, undefined, limited);
  expect(await resend()).toMatchObject({ status: 200 });
  expect(await resend()).toMatchObject(refused(429, "rate_limited"));
  const other = await team.newTenant();
  expect(await invite(await team.newMember(other, "owner"))).toMatchObject({ status: 201 });
});
