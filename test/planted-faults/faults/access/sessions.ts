import type { PlantedFault } from "../../planted-fault.ts";

const routes = "test/features/access/routes/sessions.test.ts";
const door = "test/http/credentials.test.ts";
const tokens = "test/features/access/flows/sessions.test.ts";

export const sessionFaults: readonly PlantedFault[] = [
  {
    name: "a session outlives its sign-out",
    file: "shared/features/access/sessions.ts",
    search: "if (!isOpen || user.sessionEpoch !== epoch)",
    replacement: "if (!isOpen || user.sessionEpoch < 0)",
    killedBy: {
      file: routes,
      title: "a session ends at the next request after the person signed out, and after 12 hours to the second",
    },
  },
  {
    name: "a session token of another text than the sealed one opens",
    file: "shared/features/access/sessions.ts",
    search: "if (claims === null || payload !== encode(claims)) return null;",
    replacement: "if (claims === null) return null;",
    killedBy: {
      file: tokens,
      title: "a session token is refused in any other form, also if it is signed with the true key",
    },
  },
  {
    name: "a session token may live longer than 12 hours",
    file: "shared/features/access/sessions.ts",
    search: "exp - iat === SESSION_LIFETIME / SECOND ?",
    replacement: "true ?",
    killedBy: {
      file: tokens,
      title: "a session token is refused in any other form, also if it is signed with the true key",
    },
  },
  {
    name: "the role of a person is not checked",
    file: "shared/http/request.ts",
    search: "(role && refuseRole(caller, tenant, role))",
    replacement: "null",
    killedBy: { file: door, title: "the tenant of a session decides which role counts" },
  },
  {
    name: "the member of a suspended tenant is accepted",
    file: "shared/features/access/rules/callers.ts",
    search: `membership.isSuspended ? refuse("tenant_suspended") : null`,
    replacement: "null",
    killedBy: {
      file: "test/features/access/rules/callers.test.ts",
      title: "the tenant of a person's request is one of theirs, and not suspended",
    },
  },
  {
    name: "a bad key is forgiven where a session is sent beside it",
    file: "shared/http/credentials/credentials.ts",
    search: `authorization === null && auth !== "key"`,
    replacement: `auth !== "key"`,
    killedBy: {
      file: door,
      title:
        "a route for keys and sessions takes the key of a request that also has a session, and asks it for no CSRF token",
    },
  },
  {
    name: "the body of a request without a credential is read",
    file: "shared/http/serve.ts",
    search: "if (isRefusal(credential)) return failure(credential);",
    replacement: "",
    killedBy: {
      file: "test/http/body.test.ts",
      title: "the size of a body costs a request with %s nothing: its body is not read",
    },
  },
  {
    name: "a key in no right form is looked up",
    file: "shared/http/credentials/credentials.ts",
    search: `keys?.hasForm(header) ?`,
    replacement: "keys ?",
    killedBy: { file: door, title: "a credential whose form is not right is refused without a read: %s" },
  },
  {
    name: "a session in no right form is opened",
    file: "shared/http/credentials/credentials.ts",
    search: `cookie === "invalid" || !sessions?.hasForm(cookie.value)`,
    replacement: `cookie === "invalid"`,
    killedBy: {
      file: "test/http/body.test.ts",
      title: "the size of a body costs a request with %s nothing: its body is not read",
    },
  },
  {
    name: "a write needs no CSRF token",
    file: "shared/http/credentials/csrf.ts",
    search: 'sameBytes(headers.get(CSRF_HEADER) ?? "", csrfToken) && hasExpectedOrigin',
    replacement: "csrfToken !== null && hasExpectedOrigin",
    killedBy: { file: door, title: "the CSRF token of a session's write is required: %s is 403 before a read" },
  },
  {
    name: "a page of another origin may write with the token of a session",
    file: "shared/http/credentials/csrf.ts",
    search: "if (origin !== null && origin !== consoleOrigin) return false;",
    replacement: "",
    killedBy: { file: door, title: "the CSRF token of a session's write counts only from the console's origin" },
  },
  {
    name: "of two session cookies the first counts",
    file: "shared/http/credentials/cookies.ts",
    search: "if (!isNamed || cookie) return",
    replacement: "if (cookie) break;\n      if (!isNamed) return",
    killedBy: { file: "test/http/cookies.test.ts", title: "reading a cookie refuses one that is sent %s" },
  },
  {
    name: "a person may hold a message in another's name",
    file: "shared/features/access/rules/callers.ts",
    search: `actorId === callerActor(caller) ? null : refuse("actor_forbidden")`,
    replacement: "null",
    killedBy: {
      file: routes,
      title:
        "what a person does has their own actor id: a hold in another's name is 403, and one without a name is 409",
    },
  },
];
