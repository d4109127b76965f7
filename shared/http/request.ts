import { type $ZodIssue, type $ZodType, safeParse } from "zod/v4/core";
import { IDEMPOTENCY_KEY_CHARS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "#base/kernel/limits.ts";
import { type FieldProblem, invalidField, invalidFields, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import {
  type Caller,
  hasNoTenant,
  implicitTenant,
  type Role,
  refuseRole,
  refuseTenant,
} from "#features/access/rules/callers.ts";
import type { ReadableHeaders } from "./header-map.ts";
import { jsonErrorPosition } from "./hints/json-position.ts";
import type { RequestedPage } from "./page.ts";
import type { RawRequest } from "./raw-request.ts";

// Reads and validates the parts of a request: body, parameters, page, tenant, idempotency key.

const DEPTH_MAX = 32;
const ISSUES_MAX = 5;
/** A route reads at most ten. */
const PARAMETERS_MAX = 100;
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

/** Reads the raw body. Refuses it as soon as it exceeds `bytesMax`. An absent body is empty. */
export async function readBytes(
  request: Pick<RawRequest, "headers" | "body">,
  bytesMax: number,
): Promise<Uint8Array | Refusal<"payload_too_large">> {
  const tooLarge = refuse("payload_too_large", `body: must have at most ${bytesMax} bytes`);
  if (request.body === null) return new Uint8Array();
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return tooLarge;

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bytesMax) return tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Parses a JSON body. The content type is not checked. An empty body is undefined. Also refuses byte order marks, bytes
 * that are not UTF-8, unpaired surrogates, numbers that overflow, `__proto__` as a field name and nesting deeper than
 * 32, so that no handler has to.
 */
export function parseJson(bytes: Uint8Array): { value: unknown } | Refusal<"invalid_request"> {
  if (bytes.byteLength === 0) return { value: undefined };
  let value: unknown;
  let text: string | null = null;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    const place = text === null ? "" : `; it ${jsonErrorPosition(text)}`;
    return invalidField("body", `must be JSON in UTF-8${place}`, "body: must be JSON in UTF-8");
  }
  const flaw = findFlaw(value, 1);
  return flaw === null ? { value } : invalidField("body", flaw);
}

function findFlaw(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : "must not contain unpaired surrogates";
  if (typeof value === "number") return Number.isFinite(value) ? null : "must not contain numbers that overflow";
  if (typeof value !== "object" || value === null) return null;
  if (depth > DEPTH_MAX) return `must not be nested deeper than ${DEPTH_MAX} levels`;

  if (Array.isArray(value)) return findFlawInArray(value, depth);
  // A parsed object has no inherited field. A list of its fields would take longer than parsing it.
  for (const name in value) {
    if (name === "__proto__") return "must not contain a field named __proto__";
    const flaw = findFlaw(name, depth) ?? findFlaw((value as Record<string, unknown>)[name], depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}

function findFlawInArray(values: readonly unknown[], depth: number): string | null {
  for (const value of values) {
    const flaw = findFlaw(value, depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}

/** The query parameters by name. A repeated parameter is refused, because readers could disagree on which one counts. */
export function readParameters(query: string): Map<string, string> | Refusal<"invalid_request"> {
  if (hasMoreThan(query, "&", PARAMETERS_MAX)) {
    return invalidField("query", `must have at most ${PARAMETERS_MAX} parameters`);
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (parameters.has(name)) return invalidField("query", "must not repeat a parameter");
    parameters.set(name, value);
  }
  return parameters;
}

function hasMoreThan(text: string, separator: string, max: number): boolean {
  let position = -1;
  for (let count = 0; count <= max; count++) {
    position = text.indexOf(separator, position + 1);
    if (position === -1) return false;
  }
  return true;
}

/** `limit` (1 to 100; larger values are clamped; default 50) and the sealed `cursor` (null when absent). */
export function readPage(parameters: ReadonlyMap<string, string>): RequestedPage | Refusal<"invalid_request"> {
  const limit = parseLimit(parameters.get("limit"));
  if (limit === null) return invalidField("limit", `must be an integer from 1 to ${PAGE_SIZE_MAX}`);
  return { limit, cursor: parameters.get("cursor") ?? null };
}

// Digits only: Number() also accepts "1e3", " 50" and "".
function parseLimit(text: string | undefined): number | null {
  if (text === undefined) return PAGE_SIZE_DEFAULT;
  if (!/^[0-9]+$/.test(text) || Number(text) < 1) return null;
  return Math.min(Number(text), PAGE_SIZE_MAX);
}

/**
 * The tenant of a request, from `?tenant=` and the caller. `slug` is undefined when the parameter is absent; an empty
 * parameter is malformed. The shape is checked before the caller, so that a malformed slug is 400 for every caller.
 * @param role the role that a signed-in person needs at least
 */
export function resolveTenant(
  caller: Caller,
  slug: string | undefined,
  role: Role | null,
):
  | TenantId
  | Refusal<
      | "invalid_request"
      | "tenant_required"
      | "no_membership"
      | "tenant_forbidden"
      | "tenant_suspended"
      | "role_forbidden"
    > {
  const tenant = slug === undefined ? implicitTenant(caller) : parseTenant(slug);
  if (tenant === null && slug === undefined) return refuse(hasNoTenant(caller) ? "no_membership" : "tenant_required");
  if (tenant === null) {
    return invalidField(
      "tenant",
      "must be 3 to 40 lowercase letters, digits or dashes, starting with a letter and ending with a letter or digit",
    );
  }
  const refusal = refuseTenant(caller, tenant, "tenant_forbidden") ?? (role && refuseRole(caller, tenant, role));
  return refusal ?? tenant;
}

/** The `Idempotency-Key` header. Null when absent. */
export function readIdempotencyKey(headers: ReadableHeaders): string | null | Refusal<"invalid_request"> {
  const key = headers.get("idempotency-key");
  if (key === null || (key.length <= IDEMPOTENCY_KEY_CHARS_MAX && /^[!-~]+$/.test(key))) return key;
  return invalidField("Idempotency-Key", `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`);
}

/** The parsed value, or a refusal that says which fields are invalid. `subject` names the value itself: "body". */
export function validate(
  schema: $ZodType,
  value: unknown,
  subject: string,
): { value: unknown } | Refusal<"invalid_request"> {
  const result = safeParse(schema, value);
  return result.success ? { value: result.data } : invalidFields(fieldProblems(result.error.issues, value, subject));
}

/** Throws SchemaMismatch when a response does not match its declared schema. */
export function assertMatchesSchema(schema: $ZodType, data: unknown): void {
  const result = safeParse(schema, data);
  if (!result.success) throw new SchemaMismatch(JSON.stringify(fieldProblems(result.error.issues, data, "data")));
  // Parsing drops undeclared fields, which makes the JSON shorter.
  if (JSON.stringify(result.data).length !== JSON.stringify(data).length) {
    throw new SchemaMismatch("data: has undeclared fields");
  }
}

class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/** The fields and the expected values of the first issues, never the received values. */
function fieldProblems(issues: readonly $ZodIssue[], value: unknown, subject: string): FieldProblem[] {
  const problems = issues.slice(0, ISSUES_MAX).map((issue) => ({
    field: fieldPath(issue.path, subject),
    problem: isMissing(issue, value) ? "is required" : describeIssue(issue),
  }));
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Whether nothing is there. A rule about several fields says itself which of them it misses. */
function isMissing({ code, path }: $ZodIssue, value: unknown): boolean {
  if (code === "custom") return false;
  const field = path.reduce<unknown>(
    (parent, name) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, name)
        ? (parent as Record<PropertyKey, unknown>)[name]
        : undefined,
    value,
  );
  return field === undefined;
}

// A key of a free-form object is the caller's own text: only what looks like one of our field names is repeated.
function fieldPath(path: readonly PropertyKey[], subject: string): string {
  if (path.length === 0) return subject;
  return path.reduce<string>((start, part) => {
    if (typeof part === "number") return `${start}[${part}]`;
    const name = /^[a-z0-9_.]{1,40}$/i.test(String(part)) ? String(part) : "?";
    return start === "" ? name : `${start}.${name}`;
  }, "");
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
  if (relation === "at least" && limit === 1 && origin !== "number") return "not be empty";
  if (origin === "string") return `have ${relation} ${limit} characters`;
  if (origin === "array" || origin === "set") return `have ${relation} ${limit} items`;
  return `be ${relation} ${limit}`;
}
