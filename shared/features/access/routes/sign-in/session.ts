import * as z from "zod/mini";
import { PERSON_NAME_CHARS_MAX } from "#base/kernel/limits.ts";
import { iso } from "#base/kernel/time.ts";
import { expiredSessionCookies } from "#http/credentials/cookies.ts";
import { isCookieSecure } from "#http/credentials/secure-cookies.ts";
import { charactersMax, visibleLine } from "#http/fields.ts";
import { renamePerson } from "../../flows/sign-in/rename-person.ts";
import { signOut as endSessions } from "../../flows/sign-in/sign-out.ts";
import { listOwnInvites } from "../../flows/team/own-invites.ts";
import { callerActor, implicitTenant } from "../../rules/callers.ts";
import { consoleEndpoint as endpoint } from "../endpoint.ts";
import { ownInviteSchema, toOwnInviteResponse } from "../own-invites.ts";

export const getSession = endpoint.session({
  operation: "getSession",
  method: "GET",
  path: "/console/me",
  tag: "Sign-in",
  summary: "Get the signed-in user",
  tenant: "none",
  role: null,
  data: () =>
    z.object({
      user_id: z.string(),
      actor_id: z.string(),
      email: z.string(),
      name: z.nullable(z.string()),
      session_expires_at: z.iso.datetime(),
      tenant: z.nullable(z.string()),
      tenants: z.array(z.string()),
      csrf_token: z.string(),
      invites: z.array(ownInviteSchema()),
    }),
  handle: async ({ caller, now, ports }) => ({
    user_id: caller.userId,
    actor_id: callerActor(caller),
    email: caller.email,
    name: caller.name,
    session_expires_at: iso(caller.expiresAt),
    tenant: implicitTenant(caller),
    tenants: caller.memberships.map(({ tenant }) => tenant).sort(),
    csrf_token: caller.csrfToken,
    invites: (await listOwnInvites(ports, caller, now)).map(toOwnInviteResponse),
  }),
});

export const updateSession = endpoint.session({
  operation: "updateSession",
  method: "PATCH",
  path: "/console/me",
  tag: "Sign-in",
  summary: "Set your name",
  tenant: "none",
  role: null,
  body: () => z.object({ name: z.string().check(...visibleLine, ...charactersMax(PERSON_NAME_CHARS_MAX)) }),
  data: () => z.object({ name: z.string() }),
  handle: async ({ caller, body: { name }, ports }) => {
    await renamePerson(ports, caller, name);
    return { name };
  },
});

export const signOut = endpoint.session({
  operation: "signOut",
  method: "POST",
  path: "/console/auth/logout",
  tag: "Sign-in",
  summary: "Sign out everywhere",
  tenant: "none",
  role: null,
  answers: { 200: { headers: { "set-cookie": "Removes the session and its CSRF token." } } },
  data: () => z.object({ signed_out: z.literal(true) }),
  handle: async ({ author, now, ports, setCookies }) => {
    await endSessions(ports, { author, now });
    setCookies(expiredSessionCookies(isCookieSecure(ports.baseUrl)));
    return { signed_out: true as const };
  },
});
