import type { components } from "./api-types.ts";

type Schemas = components["schemas"];
type Operations = Schemas["Operations"];

/** A method and a path of the document, such as `GET /v1/conversations/{id}`. */
export type Operation = keyof Operations;

/** What an operation returns: `data` of its response. */
export type Data<Name extends Operation> = Operations[Name]["data"];
/** The query parameters of an operation. A parameter of `true` or `false` also takes a boolean. */
export type Query<Name extends Operation> =
  Field<Name, "query"> extends infer Parameters
    ? { [Key in keyof Parameters]: Parameters[Key] | Flag<Parameters[Key]> | undefined }
    : never;
/** The JSON body of an operation. */
export type Body<Name extends Operation> = Field<Name, "body">;

type Flag<Parameter> = [NonNullable<Parameter>] extends ["true" | "false"] ? boolean : never;
type Field<Name extends Operation, Key extends string> = Key extends keyof Operations[Name]
  ? NonNullable<Operations[Name][Key]>
  : never;

/** The parts of a request that an operation takes. */
export type Parts<Name extends Operation> = Omit<Operations[Name], "data" | "query"> &
  ("query" extends keyof Operations[Name] ? { query?: Query<Name> } : unknown);

/** Whether `?tenant=` is a parameter: elsewhere the resource or the person determines the tenant. */
export function takesTenant(operation: string): boolean {
  return !TENANTLESS.test(operation);
}

const TENANTLESS =
  /^\w+ \/(v1\/(ping|event-types|attachments|messages\/(reply|human-agent|holds))|console\/(me|auth|tenants|invites\/\{id\}\/(accept|decline))|verify)\b/;

/** Whether an operation takes a key or a session. The others are for everyone, or for who has the secret of a link. */
export function takesCredential(operation: string): boolean {
  return !/^\w+ \/(v1\/ping|verify|console\/auth\/(?!logout))/.test(operation);
}

/** The path and query of a request. Null when a path parameter would change the path itself. */
export function toPath(template: string, path: object = {}, query: object = {}): string | null {
  let isValid = true;
  const pathname = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((path as Record<string, unknown>)[name] ?? "");
    // A URL drops the segments `.` and `..`, also when they are percent-encoded.
    if (/^\.{0,2}$/.test(value) || !isWellFormed(value)) isValid = false;
    else return encodeURIComponent(value);
    return "";
  });
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const search = parameters.toString();
  return isValid ? `${pathname}${search && `?${search}`}` : null;
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
