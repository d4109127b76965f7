import { expect, it } from "vitest";
import { compareFindings } from "../../bin/nag/compare.ts";
import { exceptions } from "../../bin/nag/exceptions.ts";

// `npm run check` compares the findings of cdk-nag for all settings with the exceptions. These tests are of the comparison.

const { rule, grant, resources, reason } = exceptions.find((each) => each.grant === "RawBucket/raw/*") ?? {
  rule: "",
  resources: [],
  reason: "",
};

it("an exception for one resource is none for another, and one for a grant is none for another grant", () => {
  const [first = "", second = ""] = resources;
  const of = (resource: string, each = grant ?? null) => ({ rule, resource, grant: each });
  const argued = [{ rule, grant: grant ?? "", resources: [first], reason }];
  expect(compareFindings([of(first)], argued)).toEqual([]);
  expect(compareFindings([of(first), of(second)], argued)).toEqual([
    `Finding without an exception: ${rule} for ${grant} of ${second}. Correct it, or argue it in bin/nag/exceptions.ts.`,
  ]);
  expect(compareFindings([of(first), of(first, "RawBucket/*")], argued)).toEqual([
    `Finding without an exception: ${rule} for RawBucket/* of ${first}. Correct it, or argue it in bin/nag/exceptions.ts.`,
  ]);
});

it("an exception that no template needs is named, and one that is there twice", () => {
  const [first = ""] = resources;
  const argued = { rule, grant: grant ?? "", resources: [first], reason };
  expect(compareFindings([], [argued])).toEqual([
    `No template needs the exception ${rule} for ${grant} of ${first}. Remove it from bin/nag/exceptions.ts.`,
  ]);
  expect(compareFindings([{ rule, resource: first, grant: grant ?? null }], [argued, argued])).toEqual([
    `The exception ${rule} for ${grant} of ${first} is there twice. Remove one from bin/nag/exceptions.ts.`,
  ]);
});

it("each exception has a reason, and its resources by name", () => {
  for (const each of exceptions) {
    expect(each.reason.split(" ").length).toBeGreaterThan(5);
    expect(each.resources.filter((resource) => resource.includes("*"))).toEqual([]);
  }
});
