import { expect, it } from "vitest";
import { Parley } from "#client";
import { solveChallenge } from "../../support/flows/hold-fixture.ts";
import { openedOnce } from "../../support/opened.ts";
import { openBrowser } from "../accounts/browser.ts";
import { easyPuzzles } from "../holds/easy-puzzles.ts";
import { openClient, personWrites, sentMessages } from "../support/api-calls.ts";
import { openSharedStack } from "../support/local-stack.ts";

// What a console does with the client, against the whole stack.

const stack = openedOnce(openSharedStack);

/** A client with the session of the owner, as on a console of another host than the API. */
async function openSession(): Promise<Parley> {
  const browser = await openBrowser(stack);
  const parley: Parley = new Parley({
    baseUrl: stack.info.base_url,
    fetch: (url, init) => browser.visit(String(url), init),
    csrfToken: async () => (await parley.me.get()).csrf_token,
    maxRetries: 0,
  });
  return parley;
}

it("the client of a signed-in person names them, invites, starts a login and signs out", async () => {
  const parley = await openSession();
  expect(await parley.me.update({ name: "Mara" })).toEqual({ name: "Mara" });
  const me = await parley.me.get();
  expect(me).toMatchObject({ name: "Mara", tenant: "demo", invites: [] });
  const { members } = await parley.team.list();
  expect(members).toContainEqual(expect.objectContaining({ user_id: me.user_id, role: "owner" }));
  await expect(parley.team.update(me.user_id, { role: "agent" })).rejects.toMatchObject({ code: "last_owner" });

  const { invite } = await parley.invites.create({ email: "ana@example.com", role: "agent" });
  expect((await parley.invites.resend(invite.id)).invite).toMatchObject({ id: invite.id, status: "pending" });
  await expect(parley.invites.accept(invite.id)).rejects.toMatchObject({ status: 404 });
  expect(await parley.invites.revoke(invite.id)).toEqual({ revoked: true });
  const { invites } = await parley.invites.list();
  expect(invites.find(({ id }) => id === invite.id)).toMatchObject({ status: "revoked" });

  const { tenant } = await parley.tenants.get("demo");
  expect((await parley.tenants.update("demo", { name: tenant.name })).tenant).toMatchObject({ id: "demo" });
  expect((await parley.tenants.list()).tenants.map(({ id }) => id)).toEqual(["demo"]);

  for (const platform of ["instagram", "messenger"] as const) {
    const { url } = await parley.logins.start(platform, { redirect: "/accounts" });
    expect(new URL(url).searchParams.get("redirect_uri")).toContain(`/oauth/${platform}/callback`);
  }
  await expect(parley.logins.listPages()).rejects.toMatchObject({ code: "oauth_state_invalid" });
  expect(await parley.logins.signOut()).toEqual({ signed_out: true });
  await expect(parley.me.get()).rejects.toMatchObject({ code: "unauthorized" });
  // A signed-out person has no CSRF token, and needs none.
  expect(await parley.logins.requestLink({ email: "ana@example.com" })).toEqual({ sent: true });
});

it("the client holds a message, shows it, solves its challenge and sends it once", async () => {
  const parley = openClient(stack);
  const withEasierPuzzles = easyPuzzles(stack);
  const conversation_id = await personWrites(stack, "messenger", "Checked Chris");
  await stack.clock("PT25H");
  const text = "by the client";
  const { hold } = await parley.messages.sendAsHumanAgent({ conversation_id, text, actor_id: "ann" });
  const link = parley.holds.readLink(hold.verify_url);
  expect(link.hold_id).toBe(hold.id);
  expect((await parley.holds.getMessage(link)).hold).toMatchObject({ status: "awaiting_verification", text });
  const { token } = await withEasierPuzzles(await parley.holds.createChallenge(link));
  const solution = { token, solutions: solveChallenge(token) };
  expect((await parley.holds.complete(link, solution)).hold).toMatchObject({ status: "sent" });
  const again = parley.holds.complete(link, solution);
  await expect(again).rejects.toMatchObject({ code: "hold_expired", status: 409, detail: "sent" });
  expect((await parley.messages.getHold(hold.id)).hold).toMatchObject({ status: "sent" });
  expect(await sentMessages(stack, text)).toHaveLength(1);
  const wrong = parley.holds.getMessage({ ...link, secret: "wrong" });
  await expect(wrong).rejects.toMatchObject({ code: "hold_not_found" });
});
