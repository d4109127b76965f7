import { refuse } from "#base/kernel/refusals.ts";
import type { Endpoint } from "../endpoint.ts";
import { endpointsFor } from "../endpoints-for.ts";
import { HttpResponse } from "../http-response.ts";
import { type FileCaching, fileAnswers } from "./page-files.ts";

/** A file of a page that was at a path before. A script or a style sheet was revalidated. */
type MovedFile = readonly [operation: string, path: string, summary: string, caching: FileCaching];

/**
 * The public routes of pages that have moved, and of their files. The contract still names the responses of the files,
 * which no longer occur.
 * @param locate the URL of the page now; null where the deployment has none. `query` is that of the request
 */
export function movedPageEndpoints<P>(
  tag: string,
  files: readonly MovedFile[],
  locate: (ports: P, query: URLSearchParams) => string | null,
): Endpoint<P>[] {
  const endpoint = endpointsFor<P>();
  return files.map(([operation, path, summary, caching]) => {
    const { 200: file, ...others } = fileAnswers(path, caching);
    return endpoint.public({
      operation,
      method: "GET",
      path,
      tag,
      summary,
      envelope: false,
      status: 302,
      refusals: ["route_not_found"],
      answers: {
        ...others,
        200: { ...file, description: "The file, until it moved. No longer answered." },
        302: { description: "To the page.", headers: { location: "The URL of the page." } },
      },
      handle: async ({ request, ports }) => {
        const location = locate(ports, new URLSearchParams(request.query));
        if (location === null) return refuse("route_not_found");
        const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
        return new HttpResponse(null, { status: 302, headers });
      },
    });
  });
}
