import { HOUR } from "#base/kernel/time.ts";
import type { Change, Deeds, LinkRequest, Session } from "../deeds.ts";
import { emailOf, type MemberName } from "../world/members.ts";
import type { World } from "../world/open-world.ts";
import { TENANT } from "../world/people.ts";
import type { Requests } from "./requests.ts";

/** A browser forgets the cookies of a session after 12 hours. */
const SESSION_USED_FOR = 11 * HOUR;

/** The people who sign in, and what the owner does with the team. */
export function openSignedIn({ engine, mailbox, userIds }: World, deeds: Deeds, { request, fetchResult }: Requests) {
  const sessions = new Map<MemberName, Session>();

  /** Requests a link and opens it. @returns null when no link came, or it did not work */
  async function signIn(member: MemberName): Promise<Session | null> {
    const email = emailOf(member);
    const link: LinkRequest = { member, tenant: TENANT, at: engine.now(), endedAt: null, hasCome: null };
    const nextLink = mailbox.nextLink(email);
    const body = { email, redirect: "/" };
    const response = await fetchResult("console", "POST", "/console/auth/request", { body });
    if (response?.statusCode !== 200) return null;
    const browser = (response.cookies ?? []).map((cookie) => cookie.split(";")[0] ?? "").join("; ");
    deeds.links.push(link);
    const path = await nextLink;
    link.endedAt = engine.now();
    link.hasCome = path !== null;
    if (path === null) return null;
    const since = engine.now();
    const result = await fetchResult("console", "GET", path, { headers: { cookie: browser } });
    if (result?.statusCode !== 302) return null;
    const cookies = (result.cookies ?? []).map((cookie) => cookie.split(";")[0] ?? "");
    const csrfToken = cookies.find((cookie) => cookie.startsWith("console_csrf="))?.split("=")[1] ?? "";
    const session = { member, cookie: cookies.join("; "), csrfToken, since };
    sessions.set(member, session);
    return session;
  }

  /** The session in a person's browser; a new one when it has none. */
  async function sessionOf(member: MemberName): Promise<Session | null> {
    const session = sessions.get(member);
    const isEnded = deeds.requests.some(({ caller, response }) => caller === session && response?.status === 401);
    return session && !isEnded && engine.now() < session.since + SESSION_USED_FOR ? session : signIn(member);
  }

  async function changeTeam(
    to: "member" | "removed",
    change: (owner: Session) => Promise<"applied" | "refused" | "unknown">,
  ) {
    const owner = await sessionOf("owner");
    if (!owner) return;
    const deed: Change<"member" | "removed"> = { to, askedAt: engine.now(), appliedAt: null };
    deeds.memberships.push(deed);
    const end = await change(owner);
    if (end === "applied") deed.appliedAt = engine.now();
    if (end === "refused") deeds.memberships.splice(deeds.memberships.indexOf(deed), 1);
  }

  return {
    sessionOf,
    /** The owner removes the agent. */
    removeAgent: () =>
      changeTeam("removed", async (owner) => {
        const path = `/console/team/${userIds.agent}`;
        const response = await request("console", "DELETE", path, { credential: owner });
        if (!response || response.status >= 500) return "unknown";
        // An agent who is not a member is removed, too.
        return response.status === 200 || response.status === 404 ? "applied" : "refused";
      }),
    /** The owner invites the agent, who signs in and looks whether it worked. */
    inviteAgent: () =>
      changeTeam("member", async (owner) => {
        const body = { email: emailOf("agent"), role: "agent" };
        const response = await request("console", "POST", "/console/invites", { credential: owner, body });
        if (!response || response.status >= 500) return "unknown";
        // 409: there is such an invite, or the agent is a member.
        if (response.status >= 400 && response.status !== 409) return "refused";
        const session = await signIn("agent");
        if (!session) return "unknown";
        const me = await request("console", "GET", "/console/me", { credential: session });
        return me?.status === 200 && me.body.data.tenants.includes(TENANT) ? "applied" : "unknown";
      }),
  };
}
