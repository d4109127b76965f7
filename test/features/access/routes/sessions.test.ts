import { beforeAll, expect, it } from "vitest";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newSession, type TestSession } from "../../../support/routes/sessions.ts";
import { testApp } from "../../../support/routes/test-app.ts";
import { forgedTokens } from "../flows/support/forged-sessions.ts";
import { auditOf, createTenant } from "../store/support/team-samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openHoldFixture(testEnv));
const app = openedOnce(() => testApp(testEnv, fixture.apiPorts()));
beforeAll(() => createTenant(testEnv.table, fixture.tenant));

const newMember = (role: Role): Promise<TestSession> =>
  newSession({ table: testEnv.table, sessionKeys: fixture.apiPorts().sessionKeys, now: testEnv.now() }, [
    [fixture.tenant, role],
  ]);

async function ask(method: string, path: string, headers: Record<string, string>, body?: object) {
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await app.fetch(new Request(`http://gateway${path}`, init), { sourceIp: "203.0.113.7" });
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  const answer = (await response.json()) as any;
  return {
    status: response.status,
    code: answer.error?.code ?? "ok",
    message: answer.error?.message,
    data: answer.data,
  };
}
const read = (headers: Record<string, string>) => ask("GET", "/v1/accounts", headers);

it("a session is refused with any other token than its own, with the same answer", async () => {
  const { token } = await newMember("owner");
  const ring = await fixture.apiPorts().sessionKeys();
  for (const [flaw, text] of Object.entries(forgedTokens(ring.current, token))) {
    expect(await read({ cookie: `console_session=${text}` }), flaw).toMatchObject({
      status: 401,
      code: "unauthorized",
    });
  }
  expect(await read({ cookie: `console_session=${token}` })).toMatchObject({ status: 200 });
});

it("a session ends at the next request after the person signed out, and after 12 hours to the second", async () => {
  const [person, other] = [await newMember("agent"), await newMember("agent")];
  await userStore(testEnv.table).raiseEpoch(person.userId, { epoch: 0, audits: [], op: `op-${person.userId}` });
  expect(await read(person.headers)).toMatchObject({ status: 401 });
  const end = 12 * HOUR - (testEnv.now() % SECOND);
  testEnv.advance(end - 1);
  expect(await read(other.headers)).toMatchObject({ status: 200 });
  testEnv.advance(1);
  expect(await read(other.headers)).toMatchObject({ status: 401 });
});

it("a session loses what was taken from the person at the next request", async () => {
  const person = await newMember("admin");
  const memberships = membershipStore(testEnv.table);
  const keys = () => ask("GET", "/v1/keys", person.headers);
  expect(await keys()).toMatchObject({ status: 200 });
  const admin = await memberships.get(fixture.tenant, person.userId);
  if (!admin) throw new Error("The member is missing.");
  const by = (action: "member.role_change" | "member.remove") => ({
    audit: auditOf(action, testEnv.now()),
    actor: null,
  });
  await memberships.changeRole(admin, "agent", by("member.role_change"));
  expect(await keys()).toMatchObject({ status: 403, code: "forbidden" });
  expect(await read(person.headers)).toMatchObject({ status: 200 });
  await memberships.remove({ ...admin, role: "agent" }, by("member.remove"));
  expect(await read(person.headers)).toMatchObject({
    status: 403,
    code: "forbidden",
    message: expect.stringMatching(/^You belong to no workspace\b/),
  });
  expect(await ask("GET", `/v1/accounts?tenant=${fixture.tenant}`, person.headers)).toMatchObject({ status: 403 });
});

it("what a person does is audited under their name, and made with a live scope", async () => {
  const person = await newMember("admin");
  testEnv.advance(1);
  const created = await ask("POST", "/v1/keys", person.writeHeaders);
  expect(created).toMatchObject({ status: 200, data: { scope: "live" } });
  const { rows } = await auditStore(testEnv.table).list(fixture.tenant, {
    before: null,
    limit: 1,
    now: testEnv.now(),
  });
  expect(rows).toMatchObject([{ action: "key.create", actor: person.actorId, ip: "203.0.113.7" }]);
});

it("what a person does has their own actor id: a hold in another's name is 403, and one without a name is 409", async () => {
  const [person, colleague] = [await newMember("agent"), await newMember("agent")];
  const hold = (actorId?: string) =>
    ask("POST", "/v1/messages/human-agent", person.writeHeaders, {
      conversation_id: fixture.conversation,
      text: "hi",
      ...(actorId === undefined ? {} : { actor_id: actorId }),
    });
  for (const name of [colleague.actorId, person.userId, "ann", person.actorId.toUpperCase()]) {
    expect(await hold(name), name).toMatchObject({ status: 403, code: "forbidden" });
  }
  for (const missing of [undefined, "", "  "]) {
    expect(await hold(missing)).toMatchObject({ status: 409, code: "missing_actor" });
  }
  const held = await hold(person.actorId);
  expect(held).toMatchObject({ status: 202 });
  const path = `/v1/messages/holds/${held.data.hold.id}`;
  expect(await ask("GET", path, colleague.headers)).toMatchObject({ status: 200 });
  const { table } = testEnv;
  const source = { table, sessionKeys: fixture.apiPorts().sessionKeys, now: testEnv.now() };
  const stranger = await newSession(source, [[await createTenant(table), "owner"]]);
  expect(await ask("GET", path, stranger.headers)).toMatchObject({ status: 404, code: "hold_not_found" });
});
