import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform } from "./fake-platform.ts";

export type Answer = Respond | object | string;

export const LOGIN_NOW = Date.parse("2026-11-22T10:00:00Z");
export const REDIRECT = "https://api.parley.example/oauth/instagram/callback";
export const SECRET = "0123456789abcdef0123456789abcdef";
export const CODE = "AQBx-login-code";

/** A fake platform for the logins of a test file. */
export function openLoginPlatform() {
  const platform = openedOnce(startFakePlatform);
  return {
    platform,

    /** Answers each call in turn; a text is the body itself. The last answer repeats. */
    script(answers: readonly Answer[]) {
      let at = 0;
      platform.respondWith((request, response) => {
        const answer = answers[Math.min(at++, answers.length - 1)] ?? {};
        const respond = typeof answer === "function" ? (answer as Respond) : jsonResponse(200, answer);
        respond(request, response);
      });
    },

    madeCalls() {
      return platform.calls.map(({ method, url, body, headers }) => {
        const { pathname, searchParams } = new URL(url, platform.origin);
        const { authorization } = headers;
        return { call: `${method} ${pathname}`, query: Object.fromEntries(searchParams), body, authorization };
      });
    },
  };
}
