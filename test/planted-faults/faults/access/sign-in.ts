import type { PlantedFault } from "../../planted-fault.ts";

const request = "test/features/access/flows/sign-in/request-link.test.ts";
const signIn = "test/features/access/flows/sign-in/sign-in.test.ts";
const routes = "test/features/access/routes/sign-in.test.ts";

export const signInFaults: readonly PlantedFault[] = [
  {
    name: "a link is consumed without a condition",
    file: "shared/features/access/store/login-tokens.ts",
    search: 'remove(loginTokenKey(loginId), isUsable(now), "ALL_OLD")',
    replacement: 'remove(loginTokenKey(loginId), undefined, "ALL_OLD")',
    killedBy: {
      file: signIn,
      title: "opening a sign-in link is refused alike for an unknown, a malformed, a used and an expired one",
    },
  },
  {
    name: "a redirect redirects to a route that starts a login",
    file: "shared/features/access/rules/redirect-paths.ts",
    search: " || isApiPath(pathname)",
    replacement: "",
    killedBy: { file: "test/features/access/rules/redirect-paths.test.ts", title: "everything else redirects to /" },
  },
  {
    name: "a link is read instead of consumed",
    file: "shared/features/access/flows/sign-in/sign-in.ts",
    search: "ports.loginTokens.consume(loginId, now)",
    replacement: "ports.loginTokens.get(loginId)",
    killedBy: { file: signIn, title: "opening a sign-in link at the same time twenty times begins one session" },
  },
  {
    name: "a cap refuses a request whose own write it counted",
    file: "shared/features/access/store/sign-in-caps.ts",
    search: "sizeBelow(A.ops, SIGN_IN_CAPS[kind]), setContains(A.ops, op)",
    replacement: "sizeBelow(A.ops, SIGN_IN_CAPS[kind])",
    killedBy: {
      file: "test/features/access/store/sign-in-caps.test.ts",
      title: "a cap counts a request once whose write is done twice (%s)",
    },
  },
  {
    name: "the address is counted before the source",
    file: "shared/features/access/flows/sign-in/request-link.ts",
    search: '(await ports.signInCaps.consume("source", hash(networkKey(ip)), now)) ??',
    replacement:
      '(await ports.signInCaps.consume("address", hash(address), now)) ?? (await ports.signInCaps.consume("source", hash(networkKey(ip)), now)) ??',
    killedBy: {
      file: request,
      title:
        "a request for a sign-in link makes the same calls in the same order for a member, an invited, an unknown and a suppressed address",
    },
  },
  {
    name: "a prefetch uses the link",
    file: "shared/http/browser/consent.ts",
    search: 'return method === "HEAD" || PREFETCH_HEADERS.some((name) => headers.has(name));',
    replacement: 'return method === "HEAD" || headers.size < 0;',
    killedBy: { file: routes, title: "GET /console/auth/verify is not used by %s" },
  },
  {
    name: "a failed claim of invites fails the sign-in",
    file: "shared/features/access/flows/sign-in/sign-in.ts",
    search: "await claimPendingInvites(ports, {",
    replacement: "await claimInvites(ports, {",
    killedBy: {
      file: signIn,
      title:
        "opening a sign-in link claims the pending invites before it reads the memberships, and signs in without them when that fails",
    },
  },
];
