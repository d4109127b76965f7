import { pageFileEndpoints } from "#http/browser/page-files.ts";
import type { CheckPagePorts } from "../ports.ts";

/** The files of the check page. */
export const checkPageFileRoutes = pageFileEndpoints<CheckPagePorts>("Check page", [
  ["getCheckPage", "/verify", "Get the page on which a person checks a held message", "no-store"],
  ["getCheckPageScript", "/verify/check.js", "Get the script of the check page", "no-cache"],
  ["getCheckPageStyle", "/verify/check.css", "Get the style sheet of the check page", "no-cache"],
  ["getCheckPageSolver", "/verify/solver.js", "Get the worker that solves the challenge", "no-cache"],
]);
