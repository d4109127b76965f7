import { SIGNED_IN_PATH } from "../../../../shared/domain/access/redirect-paths.ts";
import type { PageFile } from "../../../../shared/flows/holds/ports.ts";
import { pageFileEndpoints, pageHeaders } from "../../../http/browser/page-files.ts";
import type { ConsolePorts } from "../../console-endpoint.ts";

/** The files of the sign-in pages. */
export const signInPageRoutes = pageFileEndpoints<ConsolePorts>("Sign-in", [
  ["getSignInPage", "/console/auth/sign-in", "Get the page on which a person requests a sign-in link", "no-store"],
  ["getSignedInPage", SIGNED_IN_PATH, "Get the page to which a sign-in leads where no console is deployed", "no-store"],
  ["getSignInScript", "/console/auth/sign-in.js", "Get the script of the sign-in page", "no-cache"],
  ["getSignedInScript", "/console/auth/signed-in.js", "Get the script of the page after a sign-in", "no-cache"],
  ["getSignInStyle", "/console/auth/sign-in.css", "Get the style sheet of the sign-in page", "no-cache"],
]);

/** The page of a link that no longer works. It offers a new one. */
export function invalidLinkPage(pageFiles: ReadonlyMap<string, PageFile>, status: 401 | 500): Response {
  const file = pageFiles.get("/console/auth/verify");
  if (!file) throw new Error("The page of an invalid sign-in link is missing.");
  return new Response(file.body, {
    status,
    headers: { ...pageHeaders, "cache-control": "no-store", "content-type": file.type },
  });
}
