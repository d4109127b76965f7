import type { $ZodIssue } from "zod/v4/core";
import { type $ZodType, safeParse } from "zod/v4/core";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";

const ISSUES_MAX = 5;
const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  tuple: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};
const formatNames: Record<string, string> = { url: "a URL", email: "an email address", ulid: "a ULID" };

/** The parsed value, or a refusal that says which fields are invalid. `subject` names the value itself: "body". */
export function validate(
  schema: $ZodType,
  value: unknown,
  subject: string,
): { value: unknown } | Refusal<"invalid_request"> {
  const result = safeParse(schema, value);
  return result.success
    ? { value: result.data }
    : refuse("invalid_request", describeIssues(result.error.issues, subject));
}

/** Throws SchemaMismatch when a response does not match its declared schema. */
export function assertMatchesSchema(schema: $ZodType, data: unknown): void {
  const result = safeParse(schema, data);
  if (!result.success) throw new SchemaMismatch(describeIssues(result.error.issues, "data"));
  // Parsing drops undeclared fields, which makes the JSON shorter.
  if (JSON.stringify(result.data).length !== JSON.stringify(data).length) {
    throw new SchemaMismatch("data: has undeclared fields");
  }
}

class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/**
 * One sentence for `detail`: "text: must be a string; attachments.0.type: …". It names fields and the expected values,
 * never the received ones.
 */
function describeIssues(issues: readonly $ZodIssue[], subject: string): string {
  const descriptions = issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `${fieldName(issue.path, subject)}: ${describeIssue(issue)}`);
  return [...new Set(descriptions)].join("; ");
}

// A key of a free-form object is the caller's own text: only what looks like one of our field names is repeated.
function fieldName(path: readonly PropertyKey[], subject: string): string {
  if (path.length === 0) return subject;
  return path.map((part) => (/^[a-z0-9_]{1,40}$/i.test(String(part)) ? String(part) : "?")).join(".");
}

function describeIssue(issue: $ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "never"
        ? "is not allowed here"
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
      return `must be ${formatNames[issue.format] ?? "in the documented format"}`;
    case "unrecognized_keys":
      return "has a field that is not allowed here";
    case "custom":
      return issue.message;
    default:
      return "has a value that is not allowed here";
  }
}

function describeBound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} characters`;
  if (origin === "array" || origin === "set") return `have ${relation} ${limit} items`;
  return `be ${relation} ${limit}`;
}
