import { newOp } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { mailLanguage } from "../../mails.ts";
import { sealInviteLink } from "../team/invite-link.ts";
import type { MailPorts } from "./ports.ts";
import { sendClaimed } from "./send-claimed.ts";
import { inviteMail } from "./texts.ts";

/**
 * Mails an invite once, and again each time that an admin sends it again. Mails nothing when it was revoked, was accepted or
 * has expired. The mail links to the sign-in page, and its link says that it comes from this mail. It signs no one in.
 */
export async function mailInvite(
  ports: MailPorts,
  { tenant, inviteId }: { readonly tenant: TenantId; readonly inviteId: string },
  now: Millis,
): Promise<RecordOutcome> {
  const { invites, mail, log } = ports;
  if (!mail) {
    log({ event: "mail.not_sent", reason: "no_sender" });
    return done;
  }
  const keys = await ports.loginKeys();
  const op = newOp(now);
  const invite = await invites.claimMail(tenant, inviteId, { op, now });
  if (!invite) return drop("stale");
  const { email: to, role, expiresAt } = invite;
  const signInUrl = `${ports.baseUrl}/console/auth/sign-in?invite=${sealInviteLink(keys, inviteId, now)}`;
  const language = await mailLanguage(ports.tenants, tenant);
  return sendClaimed(
    { mail, log },
    {
      mail: { to, ...inviteMail(language, { tenant, role, expiresAt, signInUrl }) },
      release: () => invites.releaseMail(tenant, inviteId, op),
    },
  );
}
