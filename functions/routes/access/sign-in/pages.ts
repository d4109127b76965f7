import { SIGNED_IN_PATH } from "../../../../shared/domain/access/redirect-paths.ts";
import type { PageFile } from "../../../../shared/flows/holds/ports.ts";
import { refuse } from "../../../../shared/kernel/refusals.ts";
import { pageHeaders, toFileResponse } from "../../../http/page-files.ts";
import { endpoint } from "../../console-endpoint.ts";

/** The sign-in pages and their assets. Pages are not cached and assets are revalidated, so that all are of the same build. */
const files = [
  ["getSignInPage", "/console/auth/sign-in", "Get the page on which a person requests a sign-in link", "no-store"],
  ["getSignedInPage", SIGNED_IN_PATH, "Get the page to which a sign-in leads where no console is deployed", "no-store"],
  ["getSignInScript", "/console/auth/sign-in.js", "Get the script of the sign-in page", "no-cache"],
  ["getSignedInScript", "/console/auth/signed-in.js", "Get the script of the page after a sign-in", "no-cache"],
  ["getSignInStyle", "/console/auth/sign-in.css", "Get the style sheet of the sign-in page", "no-cache"],
] as const;

export const signInPageRoutes = files.map(([operation, path, summary, cacheControl]) =>
  endpoint.public({
    operation,
    method: "GET",
    path,
    tag: "Sign-in",
    summary,
    envelope: false,
    refusals: ["route_not_found"],
    handle: async ({ request, ports }) => {
      const file = ports.pageFiles.get(path);
      return file ? toFileResponse(file, cacheControl, request) : refuse("route_not_found");
    },
  }),
);

/** The page of a link that no longer works. It offers a new one. */
export function invalidLinkPage(pageFiles: ReadonlyMap<string, PageFile>, status: 401 | 500): Response {
  const file = pageFiles.get("/console/auth/verify");
  if (!file) throw new Error("The page of an invalid sign-in link is missing.");
  return new Response(file.body, {
    status,
    headers: { ...pageHeaders, "cache-control": "no-store", "content-type": file.type },
  });
}
