import type { PlantedFault } from "../../planted-fault.ts";

const starts = "test/features/accounts/routes/login-start.test.ts";
const reads = "test/functions/route-table/reads.test.ts";
const link = "test/features/access/routes/sign-in-link.test.ts";
const ownInvites = "test/features/access/flows/team/own-invites.test.ts";

export const consentFaults: readonly PlantedFault[] = [
  {
    name: "a request names an invite by its id",
    file: "shared/features/access/flows/sign-in/create-link.ts",
    search: "inviteId: invite && openInviteLink(keys, invite),",
    replacement: "inviteId: invite && (openInviteLink(keys, invite) ?? invite),",
    killedBy: {
      file: link,
      title:
        "the request of a link accepts an invite by the text of its mail alone, and not by the id that its inviter knows",
    },
  },
  {
    name: "a mail about a connection that was not sent counts as sent",
    file: "shared/features/accounts/flows/connected-mail.ts",
    search: "if (ports.mail === null || !isComplete) return isComplete;",
    replacement: "if (ports.mail === null) return isComplete;",
    killedBy: {
      file: "test/features/accounts/flows/connected-mail.test.ts",
      title: "a connection is mailed once SES takes the mail, and is complete where it does not in ten minutes",
    },
  },
  {
    name: "a connection is mailed each time that its task runs",
    file: "shared/features/accounts/flows/connected-mail.ts",
    search: "if (isMailed) return true;",
    replacement: "if (isMailed && userId === undefined) return true;",
    killedBy: {
      file: "test/features/accounts/flows/connected-mail.test.ts",
      title:
        "a connection is mailed to the owners and to the person who connected it, once, however often its task runs",
    },
  },
  {
    name: "a login starts from any page",
    file: "shared/http/browser/consent.ts",
    search: 'return !isBrowser || headers.get("sec-fetch-site") === "same-origin";',
    replacement: 'return !isBrowser || headers.get("sec-fetch-site") !== "";',
    killedBy: { file: starts, title: "asks first where the request comes from %s" },
  },
  {
    name: "a browser that does not say where it comes from starts a login",
    file: "shared/http/browser/consent.ts",
    search: "const isBrowser = acceptsHtml(headers) || FETCH_HEADERS",
    replacement: "const isBrowser = FETCH_HEADERS",
    killedBy: { file: starts, title: "asks first where the request comes from %s" },
  },
  {
    name: "a route that changes something runs without a word about consent",
    file: "shared/http/serve.ts",
    search: "return endpoint.confirm && !isMeant(metadata) ? endpoint.confirm(input) : null;",
    replacement: "return null;",
    killedBy: { file: reads, title: "the route stores nothing and sets no cookie for any caller" },
  },
  {
    name: "a HEAD request starts a login",
    file: "shared/http/browser/consent.ts",
    search: 'return method === "HEAD" || PREFETCH_HEADERS',
    replacement: "return PREFETCH_HEADERS",
    killedBy: { file: starts, title: "starts nothing for a %s that only looks" },
  },
  {
    name: "a link works at once in any browser",
    file: "shared/features/access/routes/sign-in/verify.ts",
    search: "if (!link.isOwnBrowser || link.otherPerson !== null)",
    replacement: "if (link.otherPerson !== null)",
    killedBy: { file: link, title: "a sign-in link asks first in a browser with %s, and works by one press" },
  },
  {
    name: "a link replaces the session of another person",
    file: "shared/features/access/routes/sign-in/verify.ts",
    search: "if (!link.isOwnBrowser || link.otherPerson !== null)",
    replacement: "if (!link.isOwnBrowser)",
    killedBy: { file: link, title: "a sign-in link asks first where another person is signed in, and names them" },
  },
  {
    name: "another page sends the form of a link",
    file: "shared/features/access/routes/sign-in/verify.ts",
    search: "if (!isOwnForm(request, ports.baseUrl)) return refuse",
    replacement: "if (body.byteLength < 0) return refuse",
    killedBy: { file: link, title: "a sign-in link is not used by a press from %s" },
  },
  {
    name: "a page of another origin binds its link to the browser of its visitor",
    file: "shared/features/access/routes/sign-in/browser-cookie.ts",
    search: "if (!isOfConsole(request, ports)) return null;",
    replacement: "if (ports.baseUrl === null) return null;",
    killedBy: {
      file: link,
      title: "the request of a link from another page (%j) binds no browser: its link asks first everywhere",
    },
  },
  {
    name: "a sign-in accepts every invite of the address",
    file: "shared/features/access/flows/team/claim-invites.ts",
    search: "if (!only || others.length > 0) return undefined;",
    replacement: "if (!only || others.length > 999) return undefined;",
    killedBy: {
      file: ownInvites,
      title: "a sign-in of the person %j accepts one invite at most, and lets the others wait",
    },
  },
  {
    name: "a member of a tenant accepts an invite by any sign-in",
    file: "shared/features/access/flows/team/claim-invites.ts",
    search: "return session?.memberships.length === 0 ? only : undefined;",
    replacement: "return session ? only : undefined;",
    killedBy: {
      file: ownInvites,
      title: "a sign-in of the person %j accepts one invite at most, and lets the others wait",
    },
  },
  {
    name: "a running session reads the invites of strangers",
    file: "shared/features/access/flows/team/own-invites.ts",
    search: "return pendingInvites.filter(({ boundTo }) => boundTo === userId);",
    replacement: "return pendingInvites.filter(({ boundTo }) => boundTo !== userId || boundTo === userId);",
    killedBy: {
      file: ownInvites,
      title:
        "an invite that waits is not there for a running session: fifty invites of strangers change nothing that it reads",
    },
  },
  {
    name: "a binding of an earlier invite counts for a later one",
    file: "shared/features/access/store/invite-items.ts",
    search: "boundTo: boundId === inviteId ? userId : null,",
    replacement: "boundTo: boundId === undefined ? null : userId,",
    killedBy: {
      file: ownInvites,
      title: "an invite that waits is not found by a session that found an earlier one of the tenant",
    },
  },
  {
    name: "an invite is looked up by any text as its id",
    file: "shared/features/access/flows/team/own-invites.ts",
    search: 'if (!isInviteId(inviteId)) return refuse("invite_not_found");',
    replacement: 'if (inviteId === "") return refuse("invite_not_found");',
    killedBy: {
      file: "test/functions/route-table/route-table.test.ts",
      title: "the route answers every id of another tenant, and every impossible one, as it answers an unknown one",
    },
  },
];
