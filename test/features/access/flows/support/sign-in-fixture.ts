import { CreateQueueCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { openQueue } from "#base/aws/queues.ts";
import { deriveKey } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { openLoginToken } from "#features/access/flows/sign-in/login-link.ts";
import { requestSignInLink } from "#features/access/flows/sign-in/request-link.ts";
import { decodeMail } from "#features/access/queue.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { Invite, User } from "#features/access/rules/team.ts";
import { newInviteId, newUserId } from "#features/access/rules/team.ts";
import { openSession } from "#features/access/sessions.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { rowText } from "../../../../support/stores/row-text.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { oneKeyRing } from "../../../../support/world/key-rings.ts";
import { noStream } from "../../../realtime/flows/support/no-stream.ts";

const ROOT = "a root secret that is long enough to be one";
const addressRing = oneKeyRing(deriveKey(ROOT, "address"));
const loginRing = oneKeyRing(deriveKey(ROOT, "login-link"));
/** The secret of the browser that requests the links of the fixture. */
export const BROWSER = Buffer.alloc(32, 7).toString("base64url");
export const sessionRing = oneKeyRing(deriveKey(ROOT, "session"));

/** The ports of signing in, with a queue that no worker reads, and people in every relation to the service. */
export async function openSignInFixture(testEnv: TestEnv) {
  const QueueName = `mails-${newUlid(testEnv.now())}`;
  const { QueueUrl: queueUrl = "" } = await testEnv.sqs.send(new CreateQueueCommand({ QueueName }));
  const stores = openStores(testEnv.table);
  const hashes = (address: string) => addressHashes(addressRing, address);
  let people = 0;
  const ports = () => ({
    ...testEnv.consolePorts(),
    ...stores,
    ...noStream,
    mails: openQueue(queueUrl, testEnv.sqs),
    addressKeys: async () => addressRing,
    loginKeys: async () => loginRing,
    sessionKeys: async () => sessionRing,
  });

  const fixture = {
    stores,
    hashes,
    /** An address and a source that no other test uses. */
    newPerson: () => ({ address: `person-${++people}@example.com`, ip: `203.0.113.${people % 250}` }),
    ports,
    /** The bodies of all messages in the queue. Removes none. */
    async queuedBodies(): Promise<string[]> {
      const { Messages = [] } = await testEnv.sqs.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
      );
      return Messages.map(({ Body = "" }) => Body);
    },
    /** Every item of the table, as text. */
    async wholeTable(): Promise<string> {
      const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
      return JSON.stringify(Items.map(rowText));
    },
    /** Requests a link and returns its token, which only the mail worker can read. */
    async newToken(address: string, redirect = "/", invite: string | null = null): Promise<string> {
      const sent: string[] = [];
      const mails = { send: async ({ body }: { body: string }) => void sent.push(body) };
      // No cap is reached.
      const signInCaps = { consume: async () => null };
      const request = { address, redirect, invite, browser: BROWSER, ip: null, now: testEnv.now() };
      const refusal = await requestSignInLink({ ...fixture.ports(), mails, signInCaps }, request);
      if (isRefusal(refusal)) throw new Error("No link was requested.");
      return fixture.tokenOf(sent[0] ?? "");
    },
    /** The token of the link that a queue message names. */
    async tokenOf(body: string): Promise<string> {
      const message = decodeMail(body);
      if (message?.kind !== "sign_in") throw new Error("No link was requested.");
      const link = await stores.loginTokens.get(message.loginId);
      const token = link && openLoginToken(loginRing, message.loginId, link);
      if (!token) throw new Error("The link has no token.");
      return token;
    },
    /** A user who is a member of new tenants. */
    async newUser(address: string, tenants = 1): Promise<{ user: User; tenants: TenantId[] }> {
      const now = testEnv.now();
      const signIn = { addressHashes: hashes(address), email: address, newUserId: newUserId(now), now };
      const user = await stores.users.recordSignIn(signIn);
      const members = Array.from({ length: tenants }, () => newTenant());
      for (const tenant of members) {
        const invite = await fixture.newInvite(address, tenant);
        const audit = acceptance(invite.id, now);
        await stores.invites.accept(invite, { user, addressHashes: hashes(address), audit });
      }
      return { user, tenants: members };
    },
    async newInvite(address: string, tenant = newTenant()): Promise<Invite> {
      const now = testEnv.now();
      const details = { name: "Shop", status: "active", ownerEmail: null, createdAt: now } as const;
      const audit = { action: "invite.create", resource: "-", actor: "cli", ip: null, detail: {}, at: now } as const;
      await stores.tenants.create({ id: tenant, ...details }, { ...audit, action: "tenant.create" });
      const invite: Invite = {
        id: newInviteId(now),
        tenant,
        email: address,
        role: "agent",
        status: "pending",
        invitedBy: "cli",
        createdAt: now,
        expiresAt: now + 7 * DAY,
        acceptedAt: null,
      };
      const by = { audit, actor: null, memberId: null, addressHashes: hashes(address) };
      const created = await stores.invites.create(invite, by);
      if (created !== "created") throw new Error(`The invite was not created: ${created}.`);
      return invite;
    },
    /** Whether a session token is that of a session of the user now. */
    async isSessionOf(user: Pick<User, "id">, token: string): Promise<boolean> {
      const session = await openSession(sessionRing, token, testEnv.now());
      const stored = await stores.users.readSession(user.id);
      return session?.userId === user.id && session.epoch === stored?.user.sessionEpoch;
    },
  };
  return fixture;
}

function acceptance(inviteId: string, at: Millis): AuditEntry {
  return { action: "invite.accept", resource: `invite:${inviteId}`, actor: "cli", ip: null, detail: {}, at };
}

/** A token of the right form that no link has. */
export function unknownToken(): string {
  return deriveKey(newUlid(0), "token").toString("base64url");
}
