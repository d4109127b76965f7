import { type Reason, toHttpError } from "#base/kernel/refusals.ts";
import { callerRefusals, commonRefusals, type Endpoint } from "../endpoint.ts";
import { addComponent, type Components, type Json, toOpenApiSchema, typeName } from "./schemas.ts";
import { errorProperties, errorRequired, failedFlag, header, paceHeaders } from "./shared-components.ts";

// The failures of an operation: its refusals by status, and the answers of the gateway in front of the service.

const gatewayFailures: Record<number, { readonly name: string; readonly description: string }> = {
  413: { name: "GatewayTooLarge", description: "A body over 4 MB is refused by the gateway itself." },
  429: {
    name: "GatewayLimit",
    description:
      "A burst above the limit of all callers together gets this status from the gateway: without the envelope, without `x-correlation-id` and without `Retry-After`. Treat every 429 as `rate_limited`.",
  },
  500: { name: "GatewayFailure", description: "Without the envelope, the service could not answer at all." },
  503: { name: "ServiceUnavailable", description: "The gateway got no answer in time." },
};

/** A longer list of reasons makes no readable name. */
const NAMED_REASONS_MAX = 4;

export interface Failure {
  readonly status: number;
  readonly name: string;
  readonly response: FailureResponse;
}

interface FailureResponse {
  readonly description: string;
  readonly headers: Json;
  readonly content: Json;
}

/** Every failure of an operation, by ascending status. */
export function toFailures<P>(endpoint: Endpoint<P>, components: Components): Failure[] {
  const { refusals = [], errorFields, operation: owner } = endpoint;
  const reasons = new Set<Reason>([...commonRefusals, ...callerRefusals(endpoint), ...refusals]);
  const byStatus = Map.groupBy(reasons, (reason) => toHttpError(reason).status);
  const statuses = new Set<number>([...byStatus.keys(), ...Object.keys(gatewayFailures).map(Number)]);
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => {
      const group = byStatus.get(status) ?? [];
      const schema = errorFields?.[status];
      const fields = schema && toOpenApiSchema(components, { schema, io: "output", owner });
      const ownName = fields === undefined ? null : `${typeName(owner)}Failure${status}`;
      const codes = [...new Set(group.map((reason) => toHttpError(reason).code))];
      const named = group.length > NAMED_REASONS_MAX ? codes : group;
      const name = ownName ?? (joinNames(named) || (gatewayFailures[status]?.name ?? `Failure${status}`));
      const response = failureResponse(status, group, { components, ownName, fields });
      return { status, name, response };
    });
}

/** `WindowClosedOrRateLimited` of two reasons or codes. */
function joinNames(names: readonly string[]): string {
  return names.map((name) => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())).join("Or");
}

/** The reasons that may carry Retry-After, besides those of the code `rate_limited`. */
const reasonsWithRetry: ReadonlySet<Reason> = new Set<Reason>([
  "account_restricted",
  "restoring",
  "workspace_day_limit",
]);

interface FailureUse {
  readonly components: Components;
  /** The name of a failure that only one operation has. */
  readonly ownName?: string | null;
  /** The schema of the further fields of `error`. */
  readonly fields?: Json | undefined;
}

export function failureResponse(status: number, reasons: readonly Reason[], use: FailureUse): FailureResponse {
  const errors = reasons.map((reason) => toHttpError(reason));
  const codes = [...new Set(errors.map(({ code }) => code))];
  const gateway = gatewayFailures[status];
  const schemas = [
    ...(codes.length === 0 ? [] : [failureSchema(codes, use)]),
    ...(gateway ? [{ $ref: "#/components/schemas/GatewayError" }] : []),
  ];
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return {
    description: [...errors.map(({ message }) => message), ...(gateway ? [gateway.description] : [])].join(" "),
    headers: {
      "x-correlation-id": header("CorrelationId"),
      ...paceHeaders,
      "parley-ignored": header("ParleyIgnored"),
      ...(reasons.includes("unauthorized") ? { "www-authenticate": header("WwwAuthenticate") } : {}),
      ...(codes.includes("rate_limited") || reasons.some((reason) => reasonsWithRetry.has(reason))
        ? { "retry-after": header("RetryAfter") }
        : {}),
    },
    content: { "application/json": { schema } },
  };
}

/**
 * The named schema of a failure with these codes. It is whole, rather than `Failure` with a narrower `error`: generators
 * lose the fields that only one of two parts has.
 */
function failureSchema(codes: readonly string[], { components, ownName, fields = {} }: FailureUse): Json {
  const { properties = {}, required = [] } = fields as { properties?: Json; required?: string[] };
  const error = {
    type: "object",
    description: "What went wrong. Branch on `code`, never on `message`.",
    properties: { ...errorProperties, code: { ...errorProperties.code, enum: codes }, ...properties },
    required: [...errorRequired, ...required],
  };
  const description = `A failure with ${codes.length === 1 ? "the code" : "one of the codes"} ${codes.map((code) => `\`${code}\``).join(", ")}.`;
  const definition = { type: "object", description, properties: { ok: failedFlag, error }, required: ["ok", "error"] };
  const name = ownName ?? `${joinNames(codes)}Failure`;
  return addComponent(components, "schemas", { name, definition });
}
