import { expect, it } from "vitest";
import { findAccessProblems } from "../support/access/access-records.ts";

const run = (granted: string[], used: string[], denied: string[] = []) => ({
  granted: new Set(granted),
  used: new Set(used),
  denied: new Set(denied),
});
const exception = (...grants: string[]) => [{ grants, reason: "It is needed." }];

it("each denial of a run is a problem, also of a run of a few tests", () => {
  const denied = "Mail may not ses:SendEmail on identity/a";
  expect(findAccessProblems(run(["Mail ses:SendEmail b"], [], [denied]), null)).toEqual([denied]);
});

it("a grant that no test uses is a problem unless it is an exception", () => {
  const both = run(["Mail a T", "Mail b T", "Mail c T"], ["Mail a T"]);
  expect(findAccessProblems(both, exception("Mail b *"))).toEqual([
    "Mail c T is granted and no test uses it: remove the grant, or argue the exception",
  ]);
});

it("an exception for what a test uses, or what is not granted, is a problem", () => {
  const problems = findAccessProblems(run(["Mail a T"], ["Mail a T"]), exception("Mail a T", "Mail b *"));
  expect(problems).toEqual([
    "Mail a T is an exception that is no longer needed",
    "Mail b * is an exception that is no longer needed",
  ]);
});
