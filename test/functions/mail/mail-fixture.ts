import { openQueue } from "#base/aws/queues.ts";
import { deriveKey, sha256Hex } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { newLoginToken, sealLogin } from "#features/access/flows/sign-in/login-link.ts";
import { encodeMail } from "#features/access/queue.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { type Invite, newInviteId, newUserId, type User } from "#features/access/rules/team.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { userStore } from "#features/access/store/users.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import type { Mail } from "#local-aws/emulators/mail.ts";
import { mailWorker } from "../../../functions/mail/worker.ts";
import type { WorkerPorts } from "../../../functions/worker/batch.ts";
import { invokeWorker } from "../../support/flows/queue-worker.ts";
import { openTestEnv, type TestEnv } from "../../support/flows/test-env.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { newTenant } from "../../support/stores/samples.ts";
import { oneKeyRing } from "../../support/world/key-rings.ts";

const ROOT = "a root secret of more than 32 characters";
const loginKeys = oneKeyRing(deriveKey(ROOT, "login"));
const addressKeys = oneKeyRing(deriveKey(ROOT, "address"));

export type MailFixture = Awaited<ReturnType<typeof openMailFixture>>;

/** The mail worker on a queue of its own, with the emulated SES. @param existingEnv default: a new one */
export async function openMailFixture(existingEnv?: TestEnv) {
  const testEnv = existingEnv ?? (await openTestEnv());
  const queues = await testEnv.newQueues();
  const { table } = testEnv;
  const [users, invites, loginTokens] = [userStore(table), inviteStore(table), loginTokenStore(table)];
  let people = 0;
  const hashes = (email: string) => addressHashes(addressKeys, email);

  const fixture = {
    testEnv,
    queueUrl: queues.mails,
    users,
    invites,
    loginTokens,
    hashes,
    loginKeys,
    newEmail: (): string => `person-${++people}@example.com`,

    /** The ports of a new process. */
    ports: (overrides: Partial<MailPorts> = {}): MailPorts & WorkerPorts => ({
      ...openStores(table),
      ...testEnv.mailPorts(queues),
      loginKeys: async () => loginKeys,
      addressKeys: async () => addressKeys,
      baseUrl: "https://api.example.com",
      ...overrides,
    }),

    async createTenant(name = "A shop"): Promise<TenantId> {
      const id = newTenant();
      const at = testEnv.now();
      const tenant = { id, name, status: "active", ownerEmail: null, createdAt: at } as const;
      await tenantStore(table).create(tenant, fixture.auditEntry("tenant.create"));
      return id;
    },

    auditEntry: (action: AuditEntry["action"]): AuditEntry => ({
      action,
      resource: "-",
      actor: "cli",
      ip: null,
      detail: {},
      at: testEnv.now(),
    }),

    async createInvite(tenant: TenantId, email: string, rest: Partial<Invite> = {}): Promise<Invite> {
      const now = testEnv.now();
      const invite: Invite = {
        id: newInviteId(now),
        tenant,
        email,
        role: "agent" satisfies Role,
        status: "pending",
        invitedBy: "console:usr_01M7ZAN532DXZZ1TKP6RZ0YEPG",
        createdAt: now,
        expiresAt: now + 7 * DAY,
        acceptedAt: null,
        ...rest,
      };
      const by = { audit: fixture.auditEntry("invite.create"), actor: null, memberId: null };
      await invites.create(invite, { ...by, addressHashes: hashes(email) });
      return invite;
    },

    async renewInvite(invite: Invite): Promise<void> {
      const by = { audit: fixture.auditEntry("invite.create"), actor: null, memberId: null };
      const expiresAt = testEnv.now() + 7 * DAY;
      await invites.renew(invite, { ...by, expiresAt, addressHashes: hashes(invite.email) });
    },

    /** A user without a membership. */
    createUser: (email: string): Promise<User> =>
      users.recordSignIn({
        addressHashes: hashes(email),
        email,
        newUserId: newUserId(testEnv.now()),
        now: testEnv.now(),
      }),

    async createMember(email: string): Promise<void> {
      const invite = await fixture.createInvite(await fixture.createTenant(), email);
      const audit = fixture.auditEntry("invite.accept");
      await invites.accept(invite, { user: await fixture.createUser(email), addressHashes: hashes(email), audit });
    },

    /** Stores a sign-in link, as a request for it does. */
    async createLink(address: string): Promise<{ loginId: string; token: string; body: string }> {
      const token = newLoginToken();
      const loginId = sha256Hex(token);
      await loginTokens.create(loginId, {
        ...sealLogin(loginKeys, loginId, { address, token, now: testEnv.now() }),
        redirect: "/",
        expiresAt: testEnv.now() + 15 * MINUTE,
      });
      return { loginId, token, body: encodeMail({ kind: "sign_in", loginId }) };
    },

    queue: (...bodies: string[]): Promise<void> =>
      openQueue(queues.mails, testEnv.eventSource).sendAll(bodies.map((body) => ({ body }))),

    /** Runs the worker on what the queue has. */
    run: (ports: MailPorts & WorkerPorts = fixture.ports()): ReturnType<typeof invokeWorker> =>
      invokeWorker(testEnv.eventSource, queues.mails, mailWorker(ports, testEnv.now)),

    mailsTo: (email: string): readonly Mail[] => testEnv.emulators.mail.list().filter(({ to }) => to.includes(email)),
    close: (): Promise<void> => testEnv.close(),
  };
  return fixture;
}
