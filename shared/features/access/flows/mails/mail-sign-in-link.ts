import { newOp } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { addressHashes } from "../../rules/address-hash.ts";
import { signInLink } from "../../rules/sign-in-link.ts";
import { openLoginAddress, openLoginToken } from "../sign-in/login-link.ts";
import { mayReceiveLink } from "../sign-in-eligibility.ts";
import type { MailPorts } from "./ports.ts";
import { sendClaimed } from "./send-claimed.ts";
import { signInMail } from "./texts.ts";

/**
 * Mails a sign-in link to the address that requested it, if that address may sign in. A repeated message mails nothing, and
 * neither does one whose link was used or has expired. When the worker dies between its claim and the mail, no mail is
 * sent: the person requests another link.
 */
export async function mailSignInLink(ports: MailPorts, loginId: string, now: Millis): Promise<RecordOutcome> {
  const { loginTokens, mail } = ports;
  const login = await loginTokens.get(loginId);
  if (!login || login.expiresAt <= now || login.mailedAt !== null) return drop("stale");
  const keys = await ports.loginKeys();
  const to = openLoginAddress(keys, loginId, login);
  const token = openLoginToken(keys, loginId, login);
  if (to === null || token === null) return drop("unsealable");
  if (!(await mayReceiveLink(ports, addressHashes(await ports.addressKeys(), to), now))) return drop("not_allowed");
  if (!mail) {
    ports.log({ event: "mail.not_sent", reason: "no_sender" });
    return done;
  }
  const op = newOp(now);
  if (!(await loginTokens.claimMail(loginId, { op, now }))) return drop("stale");
  const link = signInLink(ports.baseUrl, token);
  return sendClaimed(
    { mail, log: ports.log },
    {
      mail: { to, ...signInMail(login.language ?? null, { link, expiresAt: login.expiresAt }) },
      release: () => loginTokens.releaseMail(loginId, op),
    },
  );
}
