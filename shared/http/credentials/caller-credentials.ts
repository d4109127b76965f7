import { authenticate, enforceRateLimit, hasKeyForm } from "#features/access/authenticate.ts";
import type { KeyPorts, RequestQuotaPorts, SessionPorts } from "#features/access/ports.ts";
import { authenticateSession, openSession, sessionKid } from "#features/access/sessions.ts";
import type { Credentials, KeyGuard, SessionGuard } from "./credentials.ts";

/** What a function needs to take sessions. */
export type SessionCredentialPorts = SessionPorts &
  RequestQuotaPorts & {
    /** The origin of the console, such as `https://console.example.com`. */
    readonly consoleOrigin: string;
  };

/** Identifies keys and sessions. */
export function callerCredentials(ports: KeyPorts & SessionCredentialPorts): Credentials {
  const keys: KeyGuard = { hasForm: hasKeyForm, authenticate: (header, now) => authenticate(ports, header, now) };
  return { ...sessionCredentials(ports), keys };
}

/** Identifies sessions. A key is refused without being read. */
export function sessionCredentials(ports: SessionCredentialPorts): Credentials {
  const sessions: SessionGuard = {
    hasForm: (token) => sessionKid(token) !== undefined,
    open: async (token, now) => openSession(await ports.sessionKeys(sessionKid(token)), token, now),
    authenticate: (session) => authenticateSession(ports, session),
    consoleOrigin: ports.consoleOrigin,
  };
  return { keys: null, sessions, rateLimit: (...request) => enforceRateLimit(ports, ...request) };
}
