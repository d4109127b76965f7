import type { Log } from "#base/aws/log.ts";
import type { Mail, Mailer } from "#base/aws/mail.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import type { Memberships } from "./store/memberships.ts";

const MINUTE_CHARS = "2026-01-01T00:00".length;

/** "2026-11-21 15:12 UTC" */
export function formatMinute(at: Millis): string {
  return `${iso(at).slice(0, MINUTE_CHARS).replace("T", " ")} UTC`;
}

export function joinParagraphs(...paragraphs: readonly string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}

export interface OwnerMailPorts {
  readonly memberships: Pick<Memberships, "list">;
  readonly tenants: Pick<Tenants, "get">;
  /** Null when no sender address is set: no mails are sent. */
  readonly mail: Mailer | null;
  readonly log: Log;
}

/** SES limits the mails of a second, to 14 at first. */
const MAILS_AT_ONCE = 5;

/**
 * Sends a mail to each owner of a tenant. Never fails: the log says why a mail was not sent.
 * @param person the address of a person who gets it as well
 * @returns false when a mail was not sent that may be sent later
 */
export async function mailOwners(
  ports: OwnerMailPorts,
  tenant: TenantId,
  mail: Omit<Mail, "to">,
  person?: string,
): Promise<boolean> {
  const { mail: mailer } = ports;
  const logNotSent = (reason: string) => ports.log({ event: "mail.not_sent", reason });
  let isComplete = true;
  const logFault = (error: unknown) => {
    isComplete = false;
    logNotSent(errorClass(error));
  };
  if (!mailer) {
    logNotSent("no_sender");
    return true;
  }
  try {
    const owners = await ownerAddresses(ports, tenant);
    const recipients = new Set(person === undefined ? owners : [...owners, person]);
    if (recipients.size === 0) logNotSent("no_owner");
    // One mail each: an owner does not see the addresses of the others.
    await forEachConcurrent([...recipients], MAILS_AT_ONCE, async (to) => {
      try {
        const outcome = await mailer.send({ ...mail, to });
        if (outcome !== "accepted") logNotSent(outcome);
      } catch (error) {
        logFault(error);
      }
    });
  } catch (error) {
    logFault(error);
  }
  return isComplete;
}

/**
 * The addresses of a tenant's owners. Before the owner whom the operator named has signed in, it has no members; after
 * that, an owner always remains.
 */
async function ownerAddresses({ memberships, tenants }: OwnerMailPorts, tenant: TenantId): Promise<readonly string[]> {
  const owners = (await memberships.list(tenant)).filter(({ role }) => role === "owner");
  if (owners.length > 0) return owners.map(({ email }) => email);
  const namedOwner = (await tenants.get(tenant))?.ownerEmail;
  return namedOwner ? [namedOwner] : [];
}
