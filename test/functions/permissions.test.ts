import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { enforceRateLimit } from "#features/access/authenticate.ts";
import { requestSignInLink } from "#features/access/flows/sign-in/request-link.ts";
import { signIn } from "#features/access/flows/sign-in/sign-in.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import { createInvite, listInvites, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { changeMemberRole, listMembers, removeMember } from "#features/access/flows/team/members.ts";
import { encodeMail } from "#features/access/queue.ts";
import { authenticateSession, openSession } from "#features/access/sessions.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { loginStateStore } from "#features/accounts/store/login-states.ts";
import { pageChoiceStore } from "#features/accounts/store/page-choices.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { dueKey } from "#features/delivery/store/items.ts";
import { waitingDeliveryStore } from "#features/delivery/store/waiting-deliveries.ts";
import { createChallenge } from "#features/holds/flows/challenge.ts";
import { getHold, viewHold } from "#features/holds/flows/view.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { changeTenant, createOwnTenant, getOwnTenant, listOwnTenants } from "#features/tenants/own-tenants.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import type { SendOutcome, UploadOutcome } from "#platforms/graph/platform.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import { openSignInFixture } from "../features/access/flows/support/sign-in-fixture.ts";
import { newEmail, openTeamEnv } from "../features/access/flows/team/support/team.ts";
import { createTenant } from "../features/access/store/support/team-samples.ts";
import { openConnectionFixture, unknownCall } from "../features/accounts/flows/support/connection-fixture.ts";
import { openHandOverFixture } from "../features/uploads/flows/support/hand-over-fixture.ts";
import { identifyCaller } from "../http/support/identify.ts";
import { allowedActions, synthesizeTemplates } from "../lib/synth-templates.ts";
import { injectFaults } from "../support/faults.ts";
import { refusedOutcome } from "../support/flows/conversation-fixture.ts";
import { type HoldFixture, openHoldFixture } from "../support/flows/hold-fixture.ts";
import { openReplyFixture } from "../support/flows/reply-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { newSession } from "../support/routes/sessions.ts";
import { newTenant } from "../support/stores/samples.ts";
import { keyVersion } from "../support/world/key-rings.ts";
import { openMailFixture } from "./mail/mail-fixture.ts";
import { writableByAction, writesOf } from "./support/written-keys.ts";

// The local stack checks no permissions, so these tests compare the calls to the table with the role's policy.

const testEnv = openedOnce(openTestEnv);

interface ExpressionPart {
  readonly ConditionCheck?: unknown;
  readonly Put?: unknown;
  readonly Update?: unknown;
  readonly Delete?: unknown;
}

/** The IAM actions that a call needs. A transaction needs those of its parts. */
function requiredActions(command: string, input: unknown): string[] {
  if (command !== "TransactWriteItems") return [`dynamodb:${command}`];
  const { TransactItems } = input as { TransactItems: readonly ExpressionPart[] };
  const names = { ConditionCheck: "ConditionCheckItem", Put: "PutItem", Update: "UpdateItem", Delete: "DeleteItem" };
  return TransactItems.map((part) => `dynamodb:${names[Object.keys(part)[0] as keyof typeof names]}`);
}

/** @param writes receives the writes, as `Put D#` */
async function recordActions(work: () => Promise<unknown>, writes: string[] = []): Promise<string[]> {
  const actions = new Set<string>();
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    writes.push(...writesOf(command, input));
    for (const action of requiredActions(command, input)) actions.add(action);
    return "pass";
  });
  await work();
  end();
  return [...actions].sort();
}

function expectWritable(name: "Verify" | "Mail" | "HandOver" | "Sweep", writes: readonly string[]): void {
  const allowed = writableByAction(name);
  expect(writes.length).toBeGreaterThan(0);
  expect([...new Set(writes)].filter((write) => !allowed.includes(write))).toEqual([]);
}

const outcomes: readonly SendOutcome[] = [
  { kind: "accepted", messageId: "m_1" },
  { kind: "unknown", detail: "outcome_unknown" },
  { ...(refusedOutcome as Extract<SendOutcome, { kind: "refused" }>), accountStatus: "needs_reauth" },
  {
    ...(refusedOutcome as Extract<SendOutcome, { kind: "refused" }>),
    coolDownMs: 1_000,
    humanAgentPauseMs: DAY,
    humanAgentRefused: true,
  },
];

it("the Verify role allows exactly the actions that the check page uses, for every outcome of a send", async () => {
  const usedActions = new Set<string>();
  const writes: string[] = [];
  for (const outcome of outcomes) {
    const fixture = await openHoldFixture(testEnv);
    fixture.setPlatformResponse(async () => outcome);
    const [hold, other] = [await fixture.newHold(), await fixture.newHold()];
    const request = async (id: string) => ({ holdId: id, secret: await fixture.secret(id), sourceIp: null });
    const ports: CheckPagePorts = fixture.checkPagePorts();
    const actions = await recordActions(async () => {
      await viewHold(ports, await request(hold.id), testEnv.now());
      await createChallenge(ports, await request(hold.id), testEnv.now());
      await fixture.complete(hold, ports);
      await fixture.complete(other, ports);
      await viewHold(ports, { ...(await request(hold.id)), secret: "wrong" }, testEnv.now());
      testEnv.advance(DAY);
      await viewHold(ports, await request(other.id), testEnv.now());
    }, writes);
    for (const action of actions) usedActions.add(action);
  }
  expectWritable("Verify", writes);
  const { service } = synthesizeTemplates();
  expect([...usedActions].sort()).toEqual(allowedActions(service, "Verify", "dynamodb:"));
});

it("the Mail role allows exactly the actions that mails use, and its role reads no index", async () => {
  const fixture = await openMailFixture(testEnv);
  const actions = new Set<string>();
  const writes: string[] = [];
  let isRunning = false;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    if (isRunning) for (const action of requiredActions(command, input)) actions.add(action);
    if (isRunning) writes.push(...writesOf(command, input));
    expect(input).not.toHaveProperty("IndexName");
    return "pass";
  });
  const run = async (body: string) => {
    await fixture.queue(body);
    isRunning = true;
    await fixture.run();
    isRunning = false;
  };
  const [member, invited] = [fixture.newEmail(), fixture.newEmail()];
  await fixture.createMember(member);
  const invite = await fixture.createInvite(await fixture.createTenant(), invited);
  for (const email of [member, invited, fixture.newEmail()]) await run((await fixture.createLink(email)).body);
  await run(encodeMail({ kind: "invite", tenant: invite.tenant, inviteId: invite.id }));
  end();
  expect([member, invited].map((email) => fixture.mailsTo(email).length)).toEqual([1, 2]);
  expectWritable("Mail", writes);
  const { service } = synthesizeTemplates();
  expect([...actions].sort()).toEqual(allowedActions(service, "Mail", "dynamodb:"));
});

it("the HandOver role allows exactly the actions that hand-overs use, for every outcome", async () => {
  const refused = refusedOutcome as Extract<UploadOutcome, { kind: "refused" }>;
  const uploadOutcomes: readonly UploadOutcome[] = [
    { kind: "accepted", attachmentId: "att" },
    { kind: "unknown", detail: "outcome_unknown" },
    { ...refused, accountStatus: "needs_reauth", coolDownMs: 1_000 },
  ];
  const usedActions = new Set<string>();
  const writes: string[] = [];
  for (const outcome of uploadOutcomes) {
    const fixture = await openHandOverFixture(testEnv);
    fixture.setAnswer(outcome);
    await fixture.newUpload();
    // The second message finds what the first one left.
    await fixture.enqueue(await fixture.newUpload());
    const actions = await recordActions(async () => {
      for (const wait of [0, 5 * SECOND, 10 * MINUTE]) {
        testEnv.advance(wait);
        await fixture.run();
      }
    }, writes);
    for (const action of actions) usedActions.add(action);
  }
  expectWritable("HandOver", writes);
  const { service } = synthesizeTemplates();
  expect([...usedActions].sort()).toEqual(allowedActions(service, "HandOver", "dynamodb:"));
});

it("the Console role allows the actions of signing in and out, for a member and for an invited person", async () => {
  const fixture = await openSignInFixture(testEnv);
  const [{ address: member }, { address: invited }] = [fixture.newPerson(), fixture.newPerson()];
  await fixture.newUser(member);
  await fixture.newInvite(invited);
  const ports = { ...fixture.ports(), requestQuota: requestQuotaStore(testEnv.table) };
  const ip = null;
  const actions = await recordActions(async () => {
    for (const address of [member, invited]) {
      const now = testEnv.now();
      await requestSignInLink(ports, { address, redirect: "/", ip, now });
      const result = await signIn(ports, { token: await fixture.newToken(address), ip, now });
      if (isRefusal(result)) throw new Error("The link is not valid.");
      const session = await openSession(await ports.sessionKeys(), result.session.token, now);
      const caller = session && (await authenticateSession(ports, session));
      if (!caller || isRefusal(caller)) throw new Error("The session is not valid.");
      await enforceRateLimit(ports, caller, now);
      await signOut(ports, { author: { caller, ip }, now });
    }
  });
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Console", "dynamodb:");
  expect(actions).toEqual(expect.arrayContaining(["dynamodb:DeleteItem", "dynamodb:Query", "dynamodb:PutItem"]));
  expect(actions.filter((action) => !allowed.includes(action))).toEqual([]);
});

it("the Console role allows the actions of the routes of teams, invites and tenants", async () => {
  const team = openTeamEnv(testEnv);
  const tenant = await team.newTenant();
  const [owner, member] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "agent")];
  const ports = { ...team.ports, isSignUpOpen: true };
  const now = testEnv.now();
  const author = await team.author(owner);
  const { caller } = author;
  const invite = async (email: string) => {
    const created = await createInvite(ports, { tenant, email, role: "agent", author, now });
    if (isRefusal(created)) throw new Error(created.refused);
    return { tenant, inviteId: created.id, author, now };
  };
  const person = await team.signIn(newEmail());
  const newSlug = newTenant();
  const results: unknown[] = [];
  const actions = await recordActions(async () => {
    // An address without a user and one of a user have other conditions.
    const byId = await invite(newEmail());
    await invite((await team.author(person)).caller.email);
    results.push(
      await listInvites(ports, tenant, now),
      await resendInvite(ports, byId),
      await revokeInvite(ports, byId),
      await listMembers(ports, tenant),
      await changeMemberRole(ports, { tenant, userId: member, role: "owner", author, now }),
      await removeMember(ports, { tenant, userId: member, author, now }),
      await createOwnTenant(ports, { id: newSlug, name: "Shop", author, now }),
      await listOwnTenants(ports, caller),
      await getOwnTenant(ports, { slug: tenant, caller }),
      await changeTenant(ports, { slug: tenant, change: { name: "Mine" }, author, now }),
    );
  });
  expect(results.filter((result) => isRefusal(result))).toEqual([]);
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Console", "dynamodb:");
  const used = ["BatchGetItem", "ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"];
  expect(actions).toEqual(used.map((action) => `dynamodb:${action}`));
  expect(actions.filter((action) => !allowed.includes(action))).toEqual([]);
});

it("the Connect role allows the actions of a login, and of connecting, replacing and reverting an account", async () => {
  const connecting = await openConnectionFixture(testEnv);
  const tenant = await connecting.team.newTenant();
  const userId = await connecting.team.newMember(tenant, "admin");
  const author = await connecting.team.author(userId);
  const now = testEnv.now();
  const [states, choices] = [loginStateStore(testEnv.table), pageChoiceStore(testEnv.table)];
  const actions = await recordActions(async () => {
    await requestQuotaStore(testEnv.table).consume(userId, now);
    await states.use("state", { op: "op", now });
    await choices.save(tenant, userId, { sealedToken: new Uint8Array([1]), authorizedBy: [], expiresAt: now + MINUTE });
    await choices.get(tenant, userId, now);
    await connecting.stores.accounts.list(tenant);
    await connecting.connect(tenant, connecting.instagram(), { author });
    await connecting.connect(tenant, connecting.instagram(), { author, connection: "instagram_login" });
    connecting.setScript(() => unknownCall);
    await connecting.connect(tenant, connecting.messenger(), { author });
  });
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Connect", "dynamodb:");
  expect(actions).toEqual(
    expect.arrayContaining(["dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem"]),
  );
  expect(actions.filter((action) => !allowed.includes(action))).toEqual([]);
});

it("the Sweep role allows the actions of completing sends, for every outcome", async () => {
  const actions = new Set<string>();
  const writes: string[] = [];
  for (const outcome of outcomes) {
    const fixture = await openReplyFixture(testEnv);
    fixture.setPlatformResponse(async () => outcome);
    await fixture.sendReply().catch(() => null);
    testEnv.advance(5 * MINUTE);
    for (const action of await recordActions(() => fixture.sweepSends(), writes)) actions.add(action);
  }
  expectWritable("Sweep", writes);
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Sweep", "dynamodb:");
  expect([...actions]).toContain("dynamodb:ConditionCheckItem");
  expect([...actions].filter((action) => !allowed.includes(action))).toEqual([]);
});

it("the Sweep role allows the writes of a row of a later release, and of a daily check that ends early", async () => {
  const writes: string[] = [];
  const [row, cursor] = [{ ...dueKey(testEnv.now(), "endpoint", "event", 1) }, { PK: "D#a#b", SK: "c" }];
  await recordActions(async () => {
    await dueStore(testEnv.table).defer({ row, dueAt: testEnv.now() }, testEnv.now() + DAY);
    await waitingDeliveryStore(testEnv.table).saveCursor(cursor);
  }, writes);
  expect(writes).toEqual(["Put Q#", "Update QD"]);
  expectWritable("Sweep", writes);
});

it("the Api role allows the actions of creating and reading a hold", async () => {
  const fixture: HoldFixture = await openHoldFixture(testEnv);
  const actions = await recordActions(async () => {
    const hold = await fixture.newHold({ idempotencyKey: "k" });
    await fixture.tryCreateHold({ idempotencyKey: "k" });
    await getHold(fixture.apiPorts(), fixture.caller, hold.id, testEnv.now());
    testEnv.advance(DAY);
    await getHold(fixture.apiPorts(), fixture.caller, hold.id, testEnv.now());
  });
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Api", "dynamodb:");
  expect(actions).toContain("dynamodb:ConditionCheckItem");
  expect(actions.filter((action) => !allowed.includes(action))).toEqual([]);
});

it("the Api role allows the actions of identifying a session, a key and a key of the previous root secret", async () => {
  const tenant = await createTenant(testEnv.table);
  const ports = testEnv.apiPorts(await testEnv.newQueues());
  const older = { ...(await ports.peppers()).current };
  const peppers = { current: keyVersion(Buffer.alloc(32, 3)), previous: older, next: null };
  const rotated = { ...ports, peppers: async () => peppers };
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const now = testEnv.now();
  const [key, newKey] = [
    await createKey(ports, tenant, settings, now),
    await createKey(rotated, tenant, settings, now),
  ];
  const { table } = testEnv;
  const { headers } = await newSession({ table, sessionKeys: ports.sessionKeys, now }, [[tenant, "agent"]]);
  const credentials = callerCredentials(rotated);
  const callers = [headers, ...[key, newKey].map(({ secret }) => ({ authorization: `Bearer ${secret}` }))];
  const actions = await recordActions(async () => {
    for (const each of callers) {
      const route = { auth: "caller", method: "GET" } as const;
      const caller = await identifyCaller(credentials, route, new Headers(each), now);
      if (isRefusal(caller)) throw new Error(caller.refused);
      await credentials.rateLimit(caller, now, null);
    }
  });
  const { service } = synthesizeTemplates();
  const allowed = allowedActions(service, "Api", "dynamodb:");
  expect(actions).toEqual(expect.arrayContaining(["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]));
  expect(actions.filter((action) => !allowed.includes(action))).toEqual([]);
});
