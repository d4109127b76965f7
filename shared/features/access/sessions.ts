import { errors, jwtVerify, SignJWT } from "jose";
import { randomToken } from "#base/kernel/bytes.ts";
import { type KeyRing, type KeyVersion, keyOfKid, mayHaveSealed, openingKeys } from "#base/kernel/key-ring.ts";
import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import type { Refusal } from "#base/kernel/refusals.ts";
import { type Millis, SECOND, toDate } from "#base/kernel/time.ts";
import type { SessionPorts } from "./ports.ts";
import type { SessionCaller } from "./rules/callers.ts";
import type { RootMark } from "./rules/team.ts";
import { refuseUnauthorized } from "./rules/unauthorized.ts";

// A session token is a JWT with HS256. Its memberships are read at each request, so that it names only the person.

const ISSUER = "parley";
const AUDIENCE = "parley-console";
const ALGORITHM = "HS256";
const TOKEN_CHARS_MAX = 1_000;
/** The last character of 32 bytes in base64url has two unused bits, which are zero. */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;
/** 128 bits each. */
const RANDOM_BYTES = 16;

/** What a valid session token says. */
export interface Session {
  readonly userId: string;
  /** It is valid while the user has this session epoch. */
  readonly epoch: number;
  /** Each write repeats it in a header. */
  readonly csrfToken: string;
  /** The version of the root secret that signed it. */
  readonly kid: string;
  readonly expiresAt: Millis;
}

export interface SealedSession {
  readonly token: string;
  readonly csrfToken: string;
}

/** Signs a session of 12 hours with the current key. */
export async function sealSession(
  ring: KeyRing,
  { userId, epoch, now }: { readonly userId: string; readonly epoch: number; readonly now: Millis },
): Promise<SealedSession> {
  const csrfToken = randomToken(RANDOM_BYTES).toString("base64url");
  const issuedAt = Math.floor(now / SECOND);
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: userId,
    jti: randomToken(RANDOM_BYTES).toString("base64url"),
    csrf: csrfToken,
    sv: epoch,
    iat: issuedAt,
    exp: issuedAt + SESSION_LIFETIME / SECOND,
  };
  const token = await new SignJWT(claims).setProtectedHeader(protectedHeader(ring.current)).sign(ring.current.key);
  return { token, csrfToken };
}

/** The `kid` of a token in the exact form; undefined for any other text. It says which key to look for, and proves nothing. */
export function sessionKid(token: string): string | undefined {
  if (token.length > TOKEN_CHARS_MAX || !TOKEN_PATTERN.test(token)) return undefined;
  const [header = ""] = token.split(".");
  const kid = /"kid":"([\w-]{1,16})"/.exec(Buffer.from(header, "base64url").toString())?.[1];
  return kid !== undefined && header === encode(protectedHeader({ kid })) ? kid : undefined;
}

/**
 * The session of a token; null when it is not valid. Only the exact form of `sealSession` is accepted: a token has one
 * text, one algorithm and each claim once. Its key is one of the ring, by its `kid`. It reads nothing.
 */
export async function openSession(ring: KeyRing, token: string, now: Millis): Promise<Session | null> {
  if (token.length > TOKEN_CHARS_MAX || !TOKEN_PATTERN.test(token)) return null;
  const [header = "", payload = ""] = token.split(".");
  const version = openingKeys(ring).find((candidate) => header === encode(protectedHeader(candidate)));
  if (!version) return null;
  const claims = await verifiedClaims(token, version, now);
  if (claims === null || payload !== encode(claims)) return null;
  const { sub, csrf, sv, jti, iat, exp } = claims;
  if (typeof sub !== "string" || typeof csrf !== "string" || typeof jti !== "string") return null;
  if (typeof sv !== "number" || typeof iat !== "number" || typeof exp !== "number") return null;
  if (!mayHaveSealed(version, iat * SECOND)) return null;
  if (exp - iat !== SESSION_LIFETIME / SECOND) return null;
  return { userId: sub, epoch: sv, csrfToken: csrf, kid: version.kid, expiresAt: exp * SECOND };
}

/**
 * The caller of a session. User and memberships are read consistently, so that a sign-out, a removal, a change of role
 * and a suspension take effect at the next request. So does the replacement of a leaked root secret: the user's row names
 * the new version, and a process that has not read it reads it first.
 */
export async function authenticateSession(
  ports: SessionPorts,
  { userId, epoch, csrfToken, kid, expiresAt }: Session,
): Promise<SessionCaller | Refusal<"unauthorized">> {
  const storedSession = await ports.users.readSession(userId);
  if (!storedSession) return refuseUnauthorized("session_ended");
  const { user, memberships } = storedSession;
  const isOpen = user.root === undefined || (await opensSince(ports, kid, user.root));
  if (!isOpen || user.sessionEpoch !== epoch) return refuseUnauthorized("session_ended");
  const { email, name } = user;
  return { kind: "session", userId, email, name, expiresAt, epoch, csrfToken, memberships, scope: "live" };
}

/** Whether a key still opens in a process that has read this version of the root secret. */
async function opensSince(
  { sessionKeys }: SessionPorts,
  kid: string,
  { createdAt, kid: rootKid }: RootMark,
): Promise<boolean> {
  const hasRead = ({ newestAt = 0 }: KeyRing) => newestAt >= createdAt;
  const cached = await sessionKeys();
  const ring = hasRead(cached) ? cached : await sessionKeys(rootKid);
  return hasRead(ring) && keyOfKid(ring, kid) !== null;
}

async function verifiedClaims(
  token: string,
  { key }: KeyVersion,
  now: Millis,
): Promise<Record<string, unknown> | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ["sub", "jti", "csrf", "sv", "iat", "exp"],
      currentDate: toDate(now),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

function protectedHeader({ kid }: Pick<KeyVersion, "kid">) {
  return { alg: ALGORITHM, kid };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
