import { expect, it } from "vitest";
import { expiredSessionCookies, readCookie, sessionCookies } from "#http/credentials/cookies.ts";

const session = { token: "a.b.c", csrfToken: "d" };

it.each([
  [null, null],
  ["", null],
  ["other=1", null],
  ["console_session=a.b.c", "a.b.c"],
  ["other=1; console_session=a.b.c; console_csrf=d", "a.b.c"],
  ["console_session=a.b.c;other=1", "a.b.c"],
  [" \tconsole_session = a.b.c\t ", "a.b.c"],
  ["console_session=", ""],
  ["console_session=a=b=c", "a=b=c"],
  // The value stays as it is sent: a token in quotes, or with an escape, is no token.
  ['console_session="a.b.c"', '"a.b.c"'],
  ["console_session=a%2Eb", "a%2Eb"],
  ["console_session=\u00a0a.b.c", "\u00a0a.b.c"],
  // Other names.
  ["Console_Session=a; xconsole_session=b; console_session2=c", null],
  ["__Host-console_session=a", null],
  ["x=console_session=a", null],
  [";;=;= ;\t=;", null],
  [";;console_session=a;;", "a"],
  [`${"\t".repeat(9_000)}console_session=\t\t`, ""],
])("%j gives %j", (header, value) => {
  expect(readCookie(header, "console_session")).toEqual(value === null ? null : { value });
});

it.each([
  ["twice", "console_session=a; console_session=b"],
  ["twice with one value", "console_session=a; other=1; console_session=a"],
  ["twice, once empty", "console_session=; console_session=a"],
  ["without a value", "console_session"],
  ["beside one without a value", "console_session=a; console_session"],
  ["with a no-break space before its name", "\u00a0console_session=a"],
  ["beside one with a no-break space before its name", "console_session=a; \u00a0console_session=b"],
  ["with a no-break space after its name", "console_session\u00a0=a"],
  ["with a no-break space in its name", "console\u00a0_session=a"],
  ["with an invisible character in its name", "console_\u200bsession=a"],
  ["with a control character before its name", "\u000bconsole_session=a"],
  ["with a byte order mark before its name", "\ufeffconsole_session=a"],
])("reading a cookie refuses one that is sent %s", (_, header) => {
  expect(readCookie(header, "console_session")).toBe("invalid");
});

it("the cookies of a session are host-only, on every path, for 12 hours, and only one is readable by scripts", () => {
  expect(sessionCookies(session, true)).toEqual([
    "console_session=a.b.c; HttpOnly; Path=/; Max-Age=43200; SameSite=Lax; Secure",
    "console_csrf=d; Path=/; Max-Age=43200; SameSite=Lax; Secure",
  ]);
});

it("the cookies of a session do not need a secure connection on the loopback interface", () => {
  for (const cookie of sessionCookies(session, false)) expect(cookie).not.toContain("Secure");
});

it("the cookies of a session are removed by cookies of the same attributes without a value", () => {
  expect(expiredSessionCookies(true)).toEqual([
    "console_session=; HttpOnly; Path=/; Max-Age=0; SameSite=Lax; Secure",
    "console_csrf=; Path=/; Max-Age=0; SameSite=Lax; Secure",
  ]);
});
