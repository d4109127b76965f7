import { type Scenario, UNKNOWN_ULID } from "./scenario.ts";

const OWNER = "owner@local.invalid";

/** The headers of a signed-in person's browser. */
export interface Browser {
  readonly read: Readonly<Record<string, string>>;
  readonly write: Readonly<Record<string, string>>;
}

/** Keys, the audit log and the counters of a workspace. */
export async function recordKeys({ example, live, test }: Scenario): Promise<void> {
  await example("createKey", "A test key", {
    path: "/v1/keys",
    headers: live,
    body: { scope: "test", label: "CI" },
  }).then(async ({ data }) => {
    await example("listKeys", "The keys of a workspace", { path: "/v1/keys", headers: live });
    await example("revokeKey", "A key", {
      method: "DELETE",
      path: `/v1/keys/${data.id}`,
      headers: live,
    });
  });
  await example("createKey", null, { path: "/v1/keys", headers: test, body: { scope: "live" } });
  await example("listKeys", null, { path: "/v1/keys" });
  await example("revokeKey", null, { method: "DELETE", path: "/v1/keys/unknown", headers: live });
  await example("listAuditEntries", "The newest two entries", { path: "/v1/audit?limit=2", headers: live });
  await example("listAuditEntries", "The newest key that was created", {
    path: "/v1/audit?action=key.create&limit=1",
    headers: live,
  });
  await example("listAuditEntries", null, { path: "/v1/audit?cursor=unknown", headers: live });
  await example("getStats", "The counters of a workspace", { path: "/v1/stats", headers: live });
  await example("getStats", "The counters of each hour, here the last two", {
    path: "/v1/stats?series=hour",
    headers: live,
  });
  await example("getStats", null, { path: "/v1/stats?tenant=other", headers: live });
}

/** Signs the owner of the demo tenant in by a link from the mailbox. */
export async function recordSignIn(scenario: Scenario): Promise<Browser> {
  const { example } = scenario;
  const path = "/console/auth/request";
  await example("requestSignInLink", null, { path, body: { email: "no address" } });
  const { path: verify, cookie } = await signInLink(scenario, OWNER, () =>
    example("requestSignInLink", "A link by mail", { path, body: { email: OWNER } }),
  );
  const { headers } = await example("verifySignInLink", "A link that signs in", { path: verify, headers: { cookie } });
  await example("verifySignInLink", null, { path: verify, headers: { accept: "application/json" } });
  const press = (token: string) => ({
    method: "POST",
    path: "/console/auth/verify",
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    body: `token=${token}`,
  });
  const other = await signInLink(scenario, OWNER, () => scenario.send({ path, body: { email: OWNER } }));
  await example("confirmSignIn", "The button of the page of a link", press(other.path.split("=")[1] ?? ""));
  await example("confirmSignIn", null, press("unknown"));
  const browser = browserOf(headers);
  await example("getSession", "The person and their workspaces", { path: "/console/me", headers: browser.read });
  await example("getSession", null, { path: "/console/me" });
  const named = { method: "PATCH", path: "/console/me", body: { name: "Mara" } };
  await example("updateSession", "A name", { ...named, headers: browser.write });
  await example("updateSession", null, { ...named, headers: browser.read });
  return browser;
}

/** Mails a link and finds it. @returns its path, and the cookie of the browser that requested it */
async function signInLink(
  { stack }: Scenario,
  address: string,
  request: () => Promise<{ readonly headers: Headers }>,
): Promise<{ readonly path: string; readonly cookie: string }> {
  const before = (await stack.mails()).length;
  const { headers } = await request();
  const mail = await stack.until("the mail", async () => {
    const mails = await stack.mails();
    const isLink = (mail: (typeof mails)[number]) =>
      mail.to.includes(address) && mail.text.includes("/console/auth/verify");
    return mails.length > before && mails.find(isLink);
  });
  const { pathname, search } = new URL(/https?:\S+/.exec(mail.text)?.[0] ?? "");
  return { path: pathname + search, cookie: headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

function browserOf(headers: Headers): Browser {
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const csrf = cookies.find((cookie) => cookie.startsWith("console_csrf="))?.split("=")[1] ?? "";
  const read = { cookie: cookies.join("; ") };
  return { read, write: { ...read, "x-csrf-token": csrf } };
}

/** A workspace, its invites and its members. */
export async function recordTeam(scenario: Scenario, { read, write }: Browser): Promise<void> {
  const { example, send } = scenario;
  const tenant = `/console/tenants/${scenario.stack.info.tenant}`;
  await example("listTenants", "The workspaces of a person", { path: "/console/tenants", headers: read });
  await example("listTenants", null, { path: "/console/tenants" });
  await example("getTenant", "A workspace", { path: tenant, headers: read });
  await example("getTenant", null, { path: "/console/tenants/unknown", headers: read });
  await example("updateTenant", "A new name", {
    method: "PATCH",
    path: tenant,
    headers: write,
    body: { name: "Demo shop" },
  });
  await example("updateTenant", null, { method: "PATCH", path: tenant, headers: read, body: { name: "Demo shop" } });

  const path = "/console/invites";
  const email = "ben@example.com";
  const { invite } = (
    await example("createInvite", "An agent", { path, headers: write, body: { email, role: "agent" } })
  ).data;
  await example("createInvite", null, { path, headers: write, body: { email, role: "guest" } });
  await example("listInvites", "The invites of a workspace", { path, headers: read });
  await example("listInvites", null, { path });
  await example("resendInvite", "A pending invite", {
    method: "POST",
    path: `${path}/${invite.id}/resend`,
    headers: write,
  });
  await example("resendInvite", null, { method: "POST", path: `${path}/${UNKNOWN_ULID}/resend`, headers: write });
  const other = { email: "cleo@example.com", role: "agent" };
  const revoked = (await send({ path, headers: write, body: other })).data.invite;
  await example("revokeInvite", "A pending invite", {
    method: "DELETE",
    path: `${path}/${revoked.id}`,
    headers: write,
  });
  await example("revokeInvite", null, { method: "DELETE", path: `${path}/${UNKNOWN_ULID}`, headers: write });

  // The invited person signs in and is a member.
  const link = await signInLink(scenario, email, () => send({ path: "/console/auth/request", body: { email } }));
  const member = browserOf((await send({ path: link.path, headers: { cookie: link.cookie } })).headers);
  const { data } = await send({ path: "/console/me", headers: member.read });
  const one = `/console/team/${data.user_id}`;
  await example("listMembers", "The members of a workspace", { path: "/console/team", headers: read });
  await example("listMembers", null, { path: "/console/team" });
  await example("updateMember", "Another role", {
    method: "PATCH",
    path: one,
    headers: write,
    body: { role: "admin" },
  });
  await example("updateMember", null, { method: "PATCH", path: one, headers: member.write, body: { role: "owner" } });
  await example("removeMember", "A member", { method: "DELETE", path: one, headers: write });
  await example("removeMember", null, { method: "DELETE", path: one, headers: write });
}

/** A further workspace. From then on, a request of this person names one. */
export async function recordNewTenant(scenario: Scenario, owner: Browser): Promise<void> {
  const { example, stack } = scenario;
  const path = "/console/tenants";
  const body = { id: "north", name: "North" };
  await example("createTenant", "A workspace", { path, headers: owner.write, body });
  await example("createTenant", null, { path, headers: owner.write, body: { ...body, id: stack.info.tenant } });
  await recordOwnInvites(scenario, owner, [stack.info.tenant, "north"]);
}

/** Two invites wait for a person, who accepts one and declines the other. */
async function recordOwnInvites(scenario: Scenario, owner: Browser, tenants: readonly string[]): Promise<void> {
  const { example, send } = scenario;
  const email = "dana@example.com";
  const ids: string[] = [];
  for (const tenant of tenants) {
    const body = { email, role: "agent" };
    ids.push((await send({ path: `/console/invites?tenant=${tenant}`, headers: owner.write, body })).data.invite.id);
  }
  const link = await signInLink(scenario, email, () => send({ path: "/console/auth/request", body: { email } }));
  const person = browserOf((await send({ path: link.path, headers: { cookie: link.cookie } })).headers);
  const answer = (id: string | undefined, name: string) => ({
    method: "POST",
    path: `/console/invites/${id}/${name}`,
    headers: person.write,
  });
  await example("acceptInvite", "An invite that waits", answer(ids[0], "accept"));
  await example("acceptInvite", null, answer(UNKNOWN_ULID, "accept"));
  await example("declineInvite", "An invite that waits", answer(ids[1], "decline"));
  await example("declineInvite", null, answer(ids[1], "decline"));
}

/** The end of a session. */
export async function recordSignOut({ example }: Scenario, { write, read }: Browser): Promise<void> {
  await example("signOut", null, { method: "POST", path: "/console/auth/logout", headers: read });
  await example("signOut", "A session", { method: "POST", path: "/console/auth/logout", headers: write });
}
