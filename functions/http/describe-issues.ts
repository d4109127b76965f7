import type { $ZodIssue } from "zod/v4/core";

const ISSUES_MAX = 5;
const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};
const formats: Record<string, string> = { url: "a URL", email: "an email address", ulid: "a ULID" };

/**
 * The issues as one plain sentence for `detail`: "text: must be a string; attachments.0.type: …". It names fields and
 * what they should hold, never what they held. `whole` names the value itself, as in "body: must be an object".
 */
export function describeIssues(issues: readonly $ZodIssue[], subject: string): string {
  const descriptions = issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `${fieldName(issue.path, subject)}: ${describeIssue(issue)}`);
  return [...new Set(descriptions)].join("; ");
}

// A key of a free-form object is the caller's own text: only what could be one of our field names is repeated.
function fieldName(path: readonly PropertyKey[], subject: string): string {
  if (path.length === 0) return subject;
  return path.map((part) => (/^[a-z0-9_]{1,40}$/i.test(String(part)) ? String(part) : "?")).join(".");
}

function describeIssue(issue: $ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "never"
        ? "is not taken here"
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${describeBound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "too_big":
      return `must ${describeBound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return `must be ${formats[issue.format] ?? "in the right form"}`;
    case "unrecognized_keys":
      return "has a field that is not taken here";
    case "custom":
      return issue.message;
    default:
      return "is not of a kind that is taken here";
  }
}

function describeBound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} characters`;
  if (origin === "array" || origin === "set") return `have ${relation} ${limit} items`;
  return `be ${relation} ${limit}`;
}
