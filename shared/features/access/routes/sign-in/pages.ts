import type { PageFile } from "#base/files/page-file.ts";
import { html, type Markup } from "#base/kernel/text/html.ts";
import { signInPageTexts } from "#base/languages/all.ts";
import { filledPage } from "#http/browser/filled-page.ts";
import { languageHeaders, languageOf, pageInLanguage } from "#http/browser/localized-pages.ts";
import { movedPageEndpoints } from "#http/browser/moved-pages.ts";
import { pageFileEndpoints, pagePolicy } from "#http/browser/page-files.ts";
import type { ReadableHeaders } from "#http/header-map.ts";
import type { HttpResponse } from "#http/http-response.ts";
import type { OpenedLink } from "../../flows/sign-in/sign-in-link.ts";
import { maskAddress } from "../../rules/email-addresses.ts";
import { invitesUrl, SIGNED_IN_PATH } from "../../rules/redirect-paths.ts";
import type { ConsoleRoutePorts } from "../endpoint.ts";

/** The file of the page that asks before a link is used, by name. It has no path of its own. */
export const CONFIRM_PAGE = "/console/auth/confirm";

const tag = "Sign-in";

/** The files of the sign-in pages. */
const pageRoutes = pageFileEndpoints<ConsoleRoutePorts>(tag, [
  ["getSignInPage", "/console/auth/sign-in", "Get the page on which a person requests a sign-in link", "no-store"],
  ["getSignInScript", "/console/auth/sign-in.js", "Get the script of the sign-in page", "no-cache"],
  ["getSignInStyle", "/console/auth/sign-in.css", "Get the style sheet of the sign-in page", "no-cache"],
]);

/** Where the page after a sign-in was, and its script. */
const movedRoutes = movedPageEndpoints<ConsoleRoutePorts>(
  tag,
  [
    ["getSignedInPage", SIGNED_IN_PATH, "Redirect to the console and the invites of a signed-in person", "no-store"],
    ["getSignedInScript", `${SIGNED_IN_PATH}.js`, "Redirect from the script of the page that moved", "no-cache"],
  ],
  invitesUrl,
);

/** The files of the sign-in pages, and the redirects of those that moved. */
export const signInPageRoutes = [...pageRoutes, ...movedRoutes] as const;

/** The path of the page of a link that no longer works. */
export const INVALID_LINK_PAGE = "/console/auth/verify";

/** The page of a link that no longer works. It offers a new one. */
export function invalidLinkPage(
  pageFiles: ReadonlyMap<string, PageFile>,
  status: 401 | 500,
  request: ReadableHeaders,
): HttpResponse {
  const language = languageOf(request);
  const page = pageFiles.get(pageInLanguage(INVALID_LINK_PAGE, language));
  return filledPage(page, { texts: {}, status, headers: languageHeaders(language) });
}

/**
 * The page that asks before a link is used. Its form may redirect to the console, and only this page names the origin
 * that sends it: with a stricter referrer policy, a browser does not say it.
 */
export function confirmSignInPage(
  { pageFiles, consoleOrigin }: Pick<ConsoleRoutePorts, "pageFiles" | "consoleOrigin">,
  { email, otherPerson, token }: OpenedLink & { readonly token: string },
  request: ReadableHeaders,
): HttpResponse {
  const language = languageOf(request);
  const other = otherPerson === null ? "" : otherSession(signInPageTexts[language].confirmOther, otherPerson);
  return filledPage(pageFiles.get(pageInLanguage(CONFIRM_PAGE, language)), {
    texts: { address: maskAddress(email), other, token },
    headers: {
      ...languageHeaders(language),
      "content-security-policy": pagePolicy(`'self' ${consoleOrigin}`),
      "referrer-policy": "strict-origin",
    },
  });
}

/** @param text names the address as `{email}` */
function otherSession(text: string, email: string): Markup {
  const [before = "", after = ""] = text.split("{email}");
  return html`<p class="notice">${before}<strong>${email}</strong>${after}</p>`;
}
