import { expect, it } from "vitest";
import { advisoryProblems, exceptionProblems, readAdvisories } from "../../../bin/packages/advisories.ts";
import { lockedPackages } from "../../../bin/packages/lock-file.ts";
import { PROJECT } from "../../docs/markdown.ts";

const packages = lockedPackages(PROJECT);
const exception = {
  advisory: "GHSA-jf85-cpcp-j695",
  package: "zod",
  reason: "Only a pattern of the caller can be slow, and Parley takes none from a caller.",
  until: "2027-01-31",
};
const at = (time: string) => Date.parse(time);
const problems = (change: object, now = at("2027-01-15T12:00:00Z")) =>
  exceptionProblems([{ ...exception, ...change }], packages, now);

it("an exception holds to the end of its last day, and is refused after it", () => {
  expect(problems({}, at("2027-01-31T23:59:59.999Z"))).toEqual([]);
  expect(problems({}, at("2027-02-01T00:00:00Z"))).toEqual([
    "Exception 1 (GHSA-jf85-cpcp-j695) ended on 2027-01-31. Update the package, or argue the exception again.",
  ]);
});

it("an exception ends within 180 days", () => {
  expect(problems({}, at("2026-08-04T00:00:00Z"))).toEqual([]);
  expect(problems({}, at("2026-08-03T23:59:59Z"))).toEqual([
    "Exception 1 (GHSA-jf85-cpcp-j695) ends later than in 180 days.",
  ]);
});

it.each([
  ["no date", { until: undefined }, "needs a date until, such as 2027-01-31."],
  ["a day that no month has", { until: "2027-02-30" }, "needs a date until, such as 2027-01-31."],
  ["a time", { until: "2027-01-31T00:00:00Z" }, "needs a date until, such as 2027-01-31."],
  ["another name of an advisory", { advisory: "CVE-2027-1" }, "needs an advisory like GHSA-jf85-cpcp-j695."],
  ["a package that is gone", { package: "left-pad" }, "is about left-pad, which is not in the lock file."],
  ["a short reason", { reason: "is fine" }, "needs a reason of 40 characters."],
  ["another field", { severity: "low" }, "needs advisory, package, reason, until alone."],
])("an exception is refused with %s", (_, change, problem) => {
  expect(problems(change)).toEqual([expect.stringContaining(problem)]);
});

it("an exception is refused twice, and a file that is no list, too", () => {
  const now = at("2027-01-15T00:00:00Z");
  expect(exceptionProblems([exception, exception], packages, now)).toEqual([
    expect.stringContaining("is there twice."),
  ]);
  expect(exceptionProblems({}, packages, now)).toEqual(["The exceptions are no list."]);
});

const via = {
  url: "https://github.com/advisories/GHSA-jf85-cpcp-j695",
  name: "zod",
  severity: "high",
  title: "Slow",
};
const advisories = readAdvisories({ vulnerabilities: { zod: { via: [via] }, user: { via: ["zod"] } } }) ?? [];

it("the answer of npm audit names each advisory once", () => {
  expect(advisories).toEqual([{ id: "GHSA-jf85-cpcp-j695", package: "zod", severity: "high", title: "Slow" }]);
  expect(readAdvisories({ vulnerabilities: {} })).toEqual([]);
});

it("the answer of npm audit is compared with the exceptions in both directions", () => {
  expect(advisoryProblems(advisories, [exception])).toEqual([]);
  expect(advisoryProblems(advisories, [])).toEqual(["zod: Slow (high, GHSA-jf85-cpcp-j695). Update the package."]);
  expect(advisoryProblems([], [exception])).toEqual([
    "zod: GHSA-jf85-cpcp-j695 is no longer reported. Remove its exception.",
  ]);
});

it.each([null, { message: "405 Method Not Allowed" }, { error: {} }, []])(
  "the answer of npm audit may be none: %j",
  (answer) => {
    expect(readAdvisories(answer)).toBeNull();
  },
);
