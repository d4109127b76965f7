import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { encodeMail } from "#features/access/queue.ts";
import { receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { newEmail } from "../../access/flows/team/support/team.ts";
import { openConnectionFixture, refusedCall } from "./support/connection-fixture.ts";

let tenant: TenantId;
let owners: string[];
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openConnectionFixture(testEnv));
beforeEach(async () => {
  tenant = await fixture.team.newTenant();
  owners = [newEmail(), newEmail()];
  for (const email of owners) await fixture.team.newMember(tenant, "owner", email);
  await fixture.team.newMember(tenant, "agent");
});

const page = () => fixture.messenger();
const key = () => `messenger#${fixture.pageId}`;
const recipients = () => fixture.mails.map(({ to }) => to).sort();

/** A person connects the page. */
async function connectBy(userId: string) {
  const account = await fixture.connect(tenant, page(), { author: await fixture.team.author(userId) });
  if (isRefusal(account)) throw new Error(`The account is not connected: ${JSON.stringify(account)}`);
  return account;
}

it("a connection is mailed to the owners and to the person who connected it, once, however often its task runs", async () => {
  fixture.sendMails();
  const email = newEmail();
  const admin = await fixture.team.newMember(tenant, "admin", email);
  const { connectionId } = await connectBy(admin);
  await fixture.drain();
  await fixture.run({ op: "finish_connect", tenant, account: page(), connectionId, userId: admin });
  await fixture.drain();
  expect(recipients()).toEqual([...owners, email].sort());
  const [mail] = fixture.mails;
  expect(mail?.subject).toBe(`${key()} is connected to "${tenant}"`);
  expect(mail?.text).toContain(`A channel account was connected to the workspace "${tenant}" on Parley.`);
  // No name that a stranger chose, no person and no token.
  expect(fixture.mails.map(({ text }) => text).join()).not.toMatch(/shop|usr_|@|token/i);
});

it("a connection of an owner is mailed to each owner once", async () => {
  fixture.sendMails();
  await connectBy(await fixture.team.signIn(owners[0] ?? ""));
  await fixture.drain();
  expect(recipients()).toEqual([...owners].sort());
});

it("a connection that replaces another one is mailed again", async () => {
  fixture.sendMails();
  const admin = await fixture.team.newMember(tenant, "admin");
  await connectBy(admin);
  await fixture.drain();
  fixture.mails.length = 0;
  testEnv.advance(1);
  await connectBy(admin);
  await fixture.drain();
  expect(fixture.mails).toHaveLength(3);
  expect(fixture.mails[0]?.text).toContain("on Parley again.");
});

it("a connection is mailed by the queue where the process of the request died", async () => {
  fixture.sendMails();
  const admin = await fixture.team.newMember(tenant, "admin");
  const ports = { ...fixture.ports(), accountPlatformFor: () => Promise.reject(new Error("The process died.")) };
  await fixture.connect(tenant, page(), { author: await fixture.team.author(admin) }, ports).catch(() => null);
  await fixture.drain();
  expect(fixture.mails).toHaveLength(3);
});

it("a connection whose subscription is refused is not mailed", async () => {
  fixture.sendMails();
  fixture.setScript(async () => refusedCall);
  const admin = await fixture.team.newMember(tenant, "admin");
  const account = await fixture.connect(tenant, page(), { author: await fixture.team.author(admin) });
  expect(isRefusal(account)).toBe(true);
  await fixture.drain();
  expect(fixture.mails).toEqual([]);
});

it("a connection is mailed once SES takes the mail, and is complete where it does not", async () => {
  let refusals = 4;
  fixture.sendMails(async () => {
    if (refusals-- > 0) throw new Error("SES refuses.");
    return "accepted";
  });
  const admin = await fixture.team.newMember(tenant, "admin");
  await connectBy(admin);
  await fixture.drain();
  // Each recipient has a message of their own, so that no one gets the mail twice.
  expect([...new Set(recipients())]).toHaveLength(3);
  expect(fixture.mails).toHaveLength(3);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.failed", error: "Error" }));

  fixture.mails.length = 0;
  refusals = Number.POSITIVE_INFINITY;
  testEnv.advance(1);
  await connectBy(admin);
  await fixture.drain();
  expect(fixture.mails).toEqual([]);
  expect(await fixture.get(tenant, page())).not.toBeNull();
  expect(await receiveAllMessages(testEnv.sqs, fixture.queues.accounts)).toEqual([]);
});

it("a connection is not mailed when the account was disconnected before the mail, nor to a person who left the team", async () => {
  fixture.sendMails();
  const admin = await fixture.team.newMember(tenant, "admin");
  const { connectionId } = await connectBy(admin);
  await fixture.drain();
  fixture.mails.length = 0;
  const notice = { kind: "account_notice", what: "connected", account: key(), connectionId, tenant } as const;
  const mails = openQueue(fixture.queues.mails, testEnv.sqs);
  await mails.send({ body: encodeMail({ ...notice, userId: admin, recipient: "usr_01M7ZAN532DXZZ1TKP6RZ0YEPG" }) });
  await mails.send({ body: encodeMail({ ...notice, userId: null, recipient: admin }) });
  await mails.send({ body: encodeMail({ ...notice, connectionId: "another", userId: admin, recipient: admin }) });
  await fixture.drain();
  expect(fixture.mails).toEqual([]);
  await mails.send({ body: encodeMail({ ...notice, userId: admin, recipient: admin }) });
  await fixture.drain();
  expect(fixture.mails).toHaveLength(1);
});
