import type { CheckPorts } from "../../../shared/flows/holds/ports.ts";
import { refuse } from "../../../shared/kernel/refusals.ts";
import { endpointsFor } from "../../http/endpoints-for.ts";
import { toFileResponse } from "../../http/page-files.ts";

const endpoint = endpointsFor<CheckPorts>();

/** The page and its assets. The page is not cached and the assets are revalidated, so that all are of the same build. */
const files = [
  ["getCheckPage", "/verify", "Get the page on which a person checks a held message", "no-store"],
  ["getCheckPageScript", "/verify/check.js", "Get the script of the check page", "no-cache"],
  ["getCheckPageStyle", "/verify/check.css", "Get the style sheet of the check page", "no-cache"],
  ["getCheckPageSolver", "/verify/solver.js", "Get the worker that solves the challenge", "no-cache"],
] as const;

/** The files of the check page. */
export const checkPageRoutes = files.map(([operation, path, summary, cacheControl]) =>
  endpoint.public({
    operation,
    method: "GET",
    path,
    tag: "Check page",
    summary,
    envelope: false,
    refusals: ["route_not_found"],
    handle: async ({ request, ports }) => {
      const file = ports.pageFiles.get(path);
      return file ? toFileResponse(file, cacheControl, request) : refuse("route_not_found");
    },
  }),
);
