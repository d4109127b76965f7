import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { encodeMail } from "../../queue.ts";
import { addressHashAt } from "../../rules/address-hash.ts";
import { networkKey } from "../../rules/networks.ts";
import { signInWindow } from "../../rules/sign-in-window.ts";
import { createSignInLink, type NewLink } from "./create-link.ts";
import type { SignInRequestPorts } from "./ports.ts";

/** A request for a sign-in link. */
export interface LinkRequest extends NewLink {
  /** The source address; null without a gateway. */
  readonly ip: string | null;
}

/**
 * Creates a sign-in link and has the mail worker decide who gets it. It makes the same calls for each address, so that
 * neither the response nor its time says whether an address is known. The source is counted first: above its cap, it
 * consumes the cap of no other address.
 */
export async function requestSignInLink(
  ports: SignInRequestPorts,
  { ip, ...link }: LinkRequest,
): Promise<null | Refusal<"sign_in_limit">> {
  const { address, now } = link;
  const addressKeys = await ports.addressKeys();
  const hash = (subject: string) => addressHashAt(addressKeys, subject, signInWindow(now).start);
  const retryAfter =
    (await ports.signInCaps.consume("source", hash(networkKey(ip)), now)) ??
    (await ports.signInCaps.consume("address", hash(address), now));
  if (retryAfter !== null) return refuse("sign_in_limit", undefined, retryAfter);

  const { loginId } = await createSignInLink(ports, link);
  await ports.mails.send({ body: encodeMail({ kind: "sign_in", loginId }) });
  return null;
}
