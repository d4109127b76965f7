import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { consoleLog } from "#base/aws/log.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { openInviteLink } from "#features/access/flows/team/invite-link.ts";
import { encodeMail } from "#features/access/queue.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import { allRows } from "../../support/flows/data-subject.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../support/flows/fault-injection.ts";
import { openedOnce } from "../../support/opened.ts";
import { type MailFixture, openMailFixture } from "./mail-fixture.ts";

const fixture = openedOnce(openMailFixture);

let email: string;
let endFaults = () => {};
beforeEach(() => {
  email = fixture.newEmail();
  fixture.testEnv.lines.length = 0;
});
afterEach(() => {
  endFaults();
  endFaults = () => {};
});

/** Answers the requests to SES, in order. Later requests pass. */
function answerSes(...faults: (Fault | Error)[]): void {
  let requests = 0;
  endFaults = injectFaults(fixture.testEnv.ses as unknown as Parameters<typeof injectFaults>[0], () => {
    const fault = faults[requests++] ?? "pass";
    if (typeof fault !== "string") throw fault;
    return fault;
  });
}
const sesError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(`injected for ${email}`), { name, $metadata: { httpStatusCode } });
const logLines = (event: string) => fixture.testEnv.lines.filter((line) => line.event === event);

/** Everything that a row contains, its sealed values as they are. */
const toBytes = (row: object) =>
  Buffer.concat(Object.values(row).map((value) => (value instanceof Uint8Array ? value : Buffer.from(String(value)))));

/** What a failed message waits at most. */
const passRedelivery = () => fixture.testEnv.advance(5 * MINUTE);

it("a sign-in link is mailed to a member, with the token that the address may use", async () => {
  await fixture.createMember(email);
  const { token, body } = await fixture.createLink(email);
  await fixture.queue(body);
  expect((await fixture.run()).failed).toEqual([]);
  const [mail, ...others] = fixture.mailsTo(email);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ from: "parley@example.com", to: [email], cc: [], bcc: [], configurationSet: "mails" });
  expect(mail?.text).toContain(`\n\nhttps://api.example.com/console/auth/verify?token=${token}\n\n`);
});

it.each([
  ["an invited person", () => fixture.createTenant().then((tenant) => fixture.createInvite(tenant, email))],
  [
    "an owner whom the operator named, at any time",
    async () => {
      const owner = { role: "owner", invitedBy: "cli", expiresAt: null } as const;
      await fixture.createInvite(await fixture.createTenant(), email, owner);
      fixture.testEnv.advance(400 * DAY);
    },
  ],
])("a sign-in link is mailed to %s", async (_, prepare) => {
  await prepare();
  const { body } = await fixture.createLink(email);
  await fixture.queue(body);
  await fixture.run();
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it.each([
  ["to an unknown address", async () => {}],
  ["to a user without a membership", () => fixture.createUser(email)],
  [
    "after an invite that has expired",
    async () => {
      await fixture.createInvite(await fixture.createTenant(), email);
      fixture.testEnv.advance(7 * DAY);
    },
  ],
  [
    "after an invite that was revoked",
    async () => {
      const invite = await fixture.createInvite(await fixture.createTenant(), email);
      const audit = fixture.auditEntry("invite.revoke");
      await fixture.invites.revoke(invite, { audit, actor: null, addressHashes: fixture.hashes(email) });
    },
  ],
])("a sign-in link is not mailed %s, but it is where sign-up is open", async (_, prepare) => {
  await prepare();
  await fixture.queue((await fixture.createLink(email)).body);
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toEqual([]);
  expect(logLines("record.dropped")).toMatchObject([{ reason: "not_allowed" }]);

  await fixture.queue((await fixture.createLink(email)).body);
  await fixture.run(fixture.ports({ isSignUpOpen: true }));
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it("a sign-in link is not mailed when it was used or has expired", async () => {
  await fixture.createMember(email);
  const used = await fixture.createLink(email);
  await fixture.loginTokens.consume(used.loginId, fixture.testEnv.now());
  const expired = await fixture.createLink(email);
  fixture.testEnv.advance(15 * MINUTE);
  await fixture.queue(used.body, expired.body, encodeMail({ kind: "sign_in", loginId: "0".repeat(64) }));
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toEqual([]);
});

it("a sign-in link is mailed once when its message comes twice, in one batch or later", async () => {
  await fixture.createMember(email);
  const { body } = await fixture.createLink(email);
  await fixture.queue(body, body, body);
  await fixture.run();
  await fixture.queue(body);
  await fixture.run();
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it("a sign-in link is mailed although the answer of its claim was lost", async () => {
  await fixture.createMember(email);
  await fixture.queue((await fixture.createLink(email)).body);
  let lost = false;
  endFaults = injectFaults(fixture.testEnv.client, ({ command }) => {
    if (command !== "UpdateItem" || lost) return "pass";
    lost = true;
    return "lost";
  });
  await fixture.run();
  expect(lost).toBe(true);
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it("a sign-in link is mailed by the next receive when SES was throttled, and only then", async () => {
  await fixture.createMember(email);
  await fixture.queue((await fixture.createLink(email)).body);
  answerSes(...Array.from({ length: 3 }, () => sesError("TooManyRequestsException", 429)));
  expect((await fixture.run()).failed).toHaveLength(1);
  expect(fixture.mailsTo(email)).toEqual([]);
  passRedelivery();
  expect((await fixture.run()).failed).toEqual([]);
  passRedelivery();
  await fixture.run();
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it.each([
  ["the answer of SES was lost", () => "lost" as const, "unknown", 1],
  ["SES rejected the address", () => sesError("MessageRejected", 400), "rejected", 0],
])("a sign-in link is not mailed again when %s", async (_, fault, reason, mails) => {
  await fixture.createMember(email);
  const { body } = await fixture.createLink(email);
  await fixture.queue(body);
  answerSes(fault());
  expect((await fixture.run()).failed).toEqual([]);
  await fixture.queue(body);
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toHaveLength(mails);
  expect(logLines("mail.not_sent")).toEqual([{ event: "mail.not_sent", reason }]);
});

it("a sign-in link is not mailed without a sender address", async () => {
  await fixture.createMember(email);
  await fixture.queue((await fixture.createLink(email)).body);
  expect((await fixture.run(fixture.ports({ mail: null }))).failed).toEqual([]);
  expect(logLines("mail.not_sent")).toEqual([{ event: "mail.not_sent", reason: "no_sender" }]);
});

// A claimed link whose worker died is not mailed: the person requests another one.
it.each(faultPoints)(
  "a sign-in link is mailed at most once when a worker has a fault %s any of its calls",
  async (faultPoint) => {
    let mailed = 0;
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const person = fixture.newEmail();
      await fixture.createMember(person);
      const { body } = await fixture.createLink(person);
      const faults = injectFaultAt([fixture.testEnv.client, fixture.testEnv.ses], faultPoint, k);
      await fixture.queue(body);
      await fixture.run();
      faults.remove();
      if (!faults.reached()) break;
      await fixture.queue(body);
      await fixture.run();
      const { length } = fixture.mailsTo(person);
      expect([k, length <= 1]).toEqual([k, true]);
      mailed += length;
    }
    expect(mailed).toBeGreaterThan(0);
  },
);

const message = (invite: { tenant: Parameters<MailFixture["createInvite"]>[0]; id: string }) =>
  encodeMail({ kind: "invite", tenant: invite.tenant, inviteId: invite.id });

it("an invite is mailed once, without a token, and names no person and nothing that a stranger chose", async () => {
  const tenant = await fixture.createTenant("Call +1 555 0100 now\u202e \u0007https://evil.example");
  const invite = await fixture.createInvite(tenant, email, { role: "owner" });
  await fixture.queue(message(invite), message(invite));
  await fixture.run();
  const [mail, ...others] = fixture.mailsTo(email);
  expect(others).toEqual([]);
  expect(mail?.subject).toBe(`Invite to "${tenant}" on Parley`);
  expect(mail?.text).toContain("as an owner");
  const link = /\n\n(https:\S+)\n\n/.exec(mail?.text ?? "")?.[1] ?? "";
  expect(link).toMatch(/^https:\/\/api\.example\.com\/console\/auth\/sign-in\?invite=/);
  const named = new URL(link).searchParams.get("invite") ?? "";
  expect(openInviteLink(fixture.loginKeys, named)).toBe(invite.id);
  expect(named).not.toContain(invite.id);
  expect(mail?.text?.replace(link, "")).not.toMatch(/token|evil|555|usr_|[^\x20-\x7e\n]/);
});

it("an invite is mailed again each time that an admin sends it again", async () => {
  const invite = await fixture.createInvite(await fixture.createTenant(), email);
  for (let mails = 1; mails <= 3; mails++) {
    await fixture.queue(message(invite), message(invite));
    await fixture.run();
    expect(fixture.mailsTo(email)).toHaveLength(mails);
    fixture.testEnv.advance(MINUTE);
    await fixture.renewInvite(invite);
  }
});

it.each([
  [
    "it was revoked",
    async (invite: Awaited<ReturnType<MailFixture["createInvite"]>>) => {
      const audit = fixture.auditEntry("invite.revoke");
      await fixture.invites.revoke(invite, { audit, actor: null, addressHashes: fixture.hashes(email) });
    },
  ],
  [
    "it was accepted",
    async (invite: Awaited<ReturnType<MailFixture["createInvite"]>>) => {
      const [user, audit] = [await fixture.createUser(email), fixture.auditEntry("invite.accept")];
      await fixture.invites.accept(invite, { user, addressHashes: fixture.hashes(email), audit });
    },
  ],
  ["it has expired", async () => fixture.testEnv.advance(7 * DAY)],
])("an invite is not mailed when %s", async (_, end) => {
  const invite = await fixture.createInvite(await fixture.createTenant(), email);
  await end(invite);
  await fixture.queue(message(invite));
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toEqual([]);
});

it("an invite is not mailed for another tenant's message, or for an unknown id", async () => {
  const invite = await fixture.createInvite(await fixture.createTenant(), email);
  const other = await fixture.createTenant();
  await fixture.queue(
    message({ ...invite, tenant: other }),
    message({ ...invite, id: `${invite.id.slice(0, -1)}${invite.id.endsWith("0") ? "1" : "0"}` }),
  );
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toEqual([]);
});

it("an invite is mailed by the next receive when SES was throttled", async () => {
  const invite = await fixture.createInvite(await fixture.createTenant(), email);
  await fixture.queue(message(invite));
  answerSes(...Array.from({ length: 3 }, () => sesError("TooManyRequestsException", 429)));
  expect((await fixture.run()).failed).toHaveLength(1);
  passRedelivery();
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.mailsTo(email)).toHaveLength(1);
});

it("no address and no token is in a log line, on standard output, in a queue message, an audit row or a key of the table", async () => {
  const tenant = await fixture.createTenant();
  const [member, unknown, invited] = [fixture.newEmail(), fixture.newEmail(), fixture.newEmail()];
  await fixture.createMember(member);
  const [link, unknownLink] = [await fixture.createLink(member), await fixture.createLink(unknown)];
  const invite = await fixture.createInvite(tenant, invited);
  const bodies = [link.body, unknownLink.body, encodeMail({ kind: "invite", tenant, inviteId: invite.id })];
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  // Errors of SES contain the address.
  email = member;
  answerSes(sesError("MessageRejected", 400), sesError("AccessDenied", 403), "lost");
  await fixture.queue(...bodies);
  for (let receive = 1; receive <= 3; receive++) {
    await fixture.run(fixture.ports({ log: (line) => [consoleLog(line), fixture.testEnv.lines.push(line)] }));
    passRedelivery();
  }
  const output = written.mock.calls.map(([chunk]) => String(chunk)).join("");
  written.mockRestore();
  expect(output).toMatch(/rejected.*AccessDenied.*unknown/s);

  const rows = await allRows(fixture.testEnv);
  const keys = rows.map(({ PK, SK }) => `${PK} ${SK}`);
  // An invite's row and a user's row have their address. A link's row has neither its address nor its token in the clear.
  const links = rows.filter(({ PK }) => PK.startsWith("TOK#")).map(toBytes);
  expect(links.length).toBeGreaterThan(0);
  const audits = rows.filter(({ PK }) => PK.startsWith("A#")).map((row) => JSON.stringify(row));
  expect(audits.length).toBeGreaterThan(0);
  const places = [output, JSON.stringify(fixture.testEnv.lines), ...bodies, ...keys, ...links, ...audits];
  for (const secret of [member, unknown, invited, link.token, unknownLink.token]) {
    for (const place of places) expect(place.includes(secret)).toBe(false);
  }
});
