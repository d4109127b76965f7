import { expect, it } from "vitest";
import { readPage } from "./markdown.ts";

const DAY_MS = 86_400_000;
const TEMPLATE = "docs/operate/security.txt";

interface Field {
  readonly name: string;
  readonly value: string;
}

/** The fields of a security.txt: RFC 9116, section 2.2. */
const fields: readonly Field[] = readPage(TEMPLATE)
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, name = "", value = ""] = /^([A-Za-z-]+): (\S.*)$/.exec(line) ?? [];
    return { name, value };
  });
const valuesOf = (name: string) => fields.filter((field) => field.name === name).map(({ value }) => value);

/** Why a date must be renewed or shortened. Null if it need not. */
function expiryProblem(expires: string, now: number): string | null {
  const days = (Date.parse(expires) - now) / DAY_MS;
  if (!(days >= 30)) return "is less than 30 days away: renew it as CONTRIBUTING.md says";
  return days <= 365 ? null : "is more than a year ahead";
}

it("the template of security.txt has fields of RFC 9116 alone, those that may be there once only once", () => {
  const known = ["Acknowledgments", "Canonical", "Contact", "Encryption", "Expires", "Hiring", "Policy"];
  expect(fields.filter(({ name }) => ![...known, "Preferred-Languages"].includes(name))).toEqual([]);
  expect(valuesOf("Expires")).toHaveLength(1);
  expect(valuesOf("Preferred-Languages")).toHaveLength(1);
});

it("the template of security.txt has contacts and addresses with a scheme that protects them, at an example's domain", () => {
  expect(valuesOf("Contact").length).toBeGreaterThan(0);
  const addresses = fields.filter(({ name }) => ["Contact", "Policy", "Canonical"].includes(name));
  for (const { value } of addresses) expect(value).toMatch(/^(https:\/\/|mailto:security@)example\.com(\/|$)/);
  expect(valuesOf("Canonical")).toEqual(["https://example.com/.well-known/security.txt"]);
});

it("the template of security.txt expires in 30 days to a year, or is renewed as CONTRIBUTING.md says", () => {
  const [expires = ""] = valuesOf("Expires");
  expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(expiryProblem(expires, Date.now())).toBeNull();
});

it.each([
  ["2027-08-01T23:59:59Z", null],
  ["2027-08-02T00:00:00Z", expect.stringContaining("renew it")],
  ["2026-08-31T23:59:59Z", null],
  ["2026-08-31T23:59:58Z", "is more than a year ahead"],
])("the template of security.txt whose end is August 31 2027 is judged at %s", (now, problem) => {
  expect(expiryProblem("2027-08-31T23:59:59Z", Date.parse(now))).toEqual(problem);
});

it("the template of security.txt that has no date must be renewed", () => {
  expect(expiryProblem("soon", 0)).toContain("renew it");
});

const text = readPage("SECURITY.md");

it("SECURITY.md says how to report, for which versions, what is in scope, and that research in good faith is safe", () => {
  const headings = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    "Report a vulnerability",
    "Supported versions",
    "Scope",
    "Safe harbor",
    "For operators",
    "Rules",
  ]);
});

it("SECURITY.md supports the version of package.json", () => {
  const { version } = JSON.parse(readPage("package.json")) as { version: string };
  expect(text).toContain(`| ${version.split(".").slice(0, 2).join(".")}, the newest release, and \`main\` | yes |`);
});
