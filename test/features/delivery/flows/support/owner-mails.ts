import type { Mailer } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { drainMails } from "../../../../support/flows/drain-mails.ts";
import type { TestEnv, TestQueues } from "../../../../support/flows/test-env.ts";
import { auditOf } from "../../../access/store/support/team-samples.ts";

/** Mails what is queued, and lists the mails since the owner was named, oldest first. */
export type OwnerMails = Awaited<ReturnType<typeof openOwnerMails>>;

/** Creates the item of a tenant with an owner whom the operator named. @returns the mails since then, oldest first */
export async function openOwnerMails(
  testEnv: TestEnv,
  { tenant, queues }: { readonly tenant: TenantId; readonly queues: TestQueues },
  ownerEmail: string | null,
) {
  const item = { id: tenant, name: "A shop", status: "active", ownerEmail, createdAt: testEnv.now() } as const;
  await tenantStore(testEnv.table).create(item, auditOf("tenant.create", testEnv.now()));
  const mailsBefore = testEnv.emulators.mail.list().length;
  return async (clients: { readonly mail?: Mailer | null } = {}) => {
    await drainMails(testEnv, queues, clients);
    return testEnv.emulators.mail.list().toReversed().slice(mailsBefore);
  };
}
