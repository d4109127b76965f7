import { sameBytes, sha256Hex } from "#base/kernel/bytes.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { authenticateSession, openSession, sessionKid } from "../../sessions.ts";
import { openLoginAddress, toLoginId } from "./login-link.ts";
import type { ReadLinkPorts } from "./ports.ts";

/** A browser that opens a sign-in link. */
interface LinkVisit {
  readonly token: string;
  /** The secret that the browser had when it requested a link; null for none. */
  readonly browser: string | null;
  /** The session cookie; null for none. */
  readonly session: string | null;
  readonly now: Millis;
}

/** A link that may be used, and what its use means to this browser. */
export interface OpenedLink {
  /** The address that it signs in. */
  readonly email: string;
  /** Whether this browser requested the link. */
  readonly isOwnBrowser: boolean;
  /** The address of another person, who is signed in in this browser; null for none. */
  readonly otherPerson: string | null;
}

/** Reads a sign-in link without using it. What is expired, used or unknown is refused alike. */
export async function openSignInLink(
  ports: ReadLinkPorts,
  { token, browser, session, now }: LinkVisit,
): Promise<OpenedLink | Refusal<"invalid_token">> {
  const loginId = toLoginId(token);
  const link = loginId && (await ports.loginTokens.get(loginId));
  if (!loginId || !link || link.expiresAt <= now) return refuse("invalid_token");
  const email = openLoginAddress(await ports.loginKeys(), loginId, link);
  if (email === null) return refuse("invalid_token");
  const { browserHash = null } = link;
  const isOwnBrowser = browser !== null && browserHash !== null && sameBytes(sha256Hex(browser), browserHash);
  const person = session === null ? null : await signedInAddress(ports, session, now);
  return { email, isOwnBrowser, otherPerson: person === email ? null : person };
}

/** The address of the person whose session a browser has; null without a session that is valid now. */
async function signedInAddress(ports: ReadLinkPorts, token: string, now: Millis): Promise<string | null> {
  const kid = sessionKid(token);
  const session = kid === undefined ? null : await openSession(await ports.sessionKeys(kid), token, now);
  const caller = session && (await authenticateSession(ports, session));
  return caller && "email" in caller ? caller.email : null;
}
