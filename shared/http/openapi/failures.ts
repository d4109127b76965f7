import { type Reason, toHttpError } from "#base/kernel/refusals.ts";
import { callerRefusals, commonRefusals, type Endpoint } from "../endpoint.ts";
import { type Components, type Json, toOpenApiSchema } from "./schemas.ts";
import { header, paceHeaders } from "./shared-components.ts";

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
  /** The name that it has where operations share it. Null for one of a single operation. */
  readonly name: string | null;
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
      const name = fields ? null : failureName(status, group);
      return { status, name, response: failureResponse(status, group, fields) };
    });
}

function failureName(status: number, reasons: readonly Reason[]): string | null {
  if (reasons.length > NAMED_REASONS_MAX) return null;
  const names = reasons.map((reason) => reason.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase()));
  return names.join("Or") || (gatewayFailures[status]?.name ?? null);
}

/** The reasons that may carry Retry-After, besides those of the code `rate_limited`. */
const reasonsWithRetry: ReadonlySet<Reason> = new Set<Reason>([
  "account_restricted",
  "restoring",
  "workspace_day_limit",
]);

/** @param fields the schema of the further fields of `error` */
export function failureResponse(status: number, reasons: readonly Reason[], fields?: Json): FailureResponse {
  const errors = reasons.map((reason) => toHttpError(reason));
  const codes = [...new Set(errors.map(({ code }) => code))];
  const gateway = gatewayFailures[status];
  const schemas = [
    ...(codes.length === 0 ? [] : [envelopeSchema(codes, fields)]),
    ...(gateway ? [{ $ref: "#/components/schemas/GatewayError" }] : []),
  ];
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return {
    description: [...errors.map(({ message }) => message), ...(gateway ? [gateway.description] : [])].join(" "),
    headers: {
      "x-correlation-id": header("CorrelationId"),
      ...paceHeaders,
      ...(codes.includes("rate_limited") || reasons.some((reason) => reasonsWithRetry.has(reason))
        ? { "retry-after": header("RetryAfter") }
        : {}),
    },
    content: { "application/json": { schema } },
  };
}

function envelopeSchema(codes: readonly string[], fields: Json = {}): Json {
  const { properties = {}, required = [] } = fields as { properties?: Json; required?: string[] };
  const error = { properties: { code: { enum: codes }, ...properties }, required: ["code", ...required] };
  return { allOf: [{ $ref: "#/components/schemas/Failure" }, { properties: { error }, required: ["error"] }] };
}
