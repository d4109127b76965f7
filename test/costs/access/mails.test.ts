import { beforeAll, expect, test } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import { encodeMail } from "#features/access/queue.ts";
import { openMailFixture } from "../../functions/mail/mail-fixture.ts";
import { attachMeter, type Meter } from "../../support/meter.ts";
import { openedOnce } from "../../support/opened.ts";

let meter: Meter;
const fixture = openedOnce(openMailFixture);
beforeAll(async () => {
  meter = attachMeter(fixture.testEnv.client, fixture.testEnv.table.name);
});

/** What the worker's run for one message costs. @param mails how many mails it must send */
async function cost(body: string, email: string, mails: number): Promise<{ wcu: number; rcu: number }> {
  await fixture.queue(body);
  const { wcu, rcu } = await meter.measure("mail", () => fixture.run());
  expect(fixture.mailsTo(email)).toHaveLength(mails);
  return { wcu, rcu };
}

test("the link of a member is one write and three reads", async () => {
  const email = fixture.newEmail();
  await fixture.createMember(email);
  expect(await cost((await fixture.createLink(email)).body, email, 1)).toEqual({ wcu: 1, rcu: 3 });
});

test("the link of an invited person is one write and three reads", async () => {
  const email = fixture.newEmail();
  await fixture.createInvite(await fixture.createTenant(), email);
  expect(await cost((await fixture.createLink(email)).body, email, 1)).toEqual({ wcu: 1, rcu: 3 });
});

test("a link for an unknown address is three reads", async () => {
  const email = fixture.newEmail();
  expect(await cost((await fixture.createLink(email)).body, email, 0)).toEqual({ wcu: 0, rcu: 3 });
});

test("the mail of an invite is one write and the read of its language, and none when it has expired is one refused write", async () => {
  const email = fixture.newEmail();
  const { tenant, id: inviteId } = await fixture.createInvite(await fixture.createTenant(), email);
  const body = encodeMail({ kind: "invite", tenant, inviteId });
  expect(await cost(body, email, 1)).toEqual({ wcu: 1, rcu: 1 });
  fixture.testEnv.advance(7 * DAY);
  expect(await cost(body, email, 1)).toEqual({ wcu: 1, rcu: 0 });
});
