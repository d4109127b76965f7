import { z } from "zod";
import { printError } from "../../../loopback/src/terminal.ts";
import { ServiceError } from "./service-error.ts";

// The AWS JSON protocol (1.0 and 1.1): POST / with `x-amz-target: <service>.<Operation>` and a JSON body.

export interface Call {
  /** Aborts when the caller closes the connection. */
  readonly signal: AbortSignal;
}

export type Operation = (input: unknown, call: Call) => unknown;

export interface JsonService {
  readonly protocol: "1.0" | "1.1";
  /** The prefix of the error code in `__type`. */
  readonly errorPrefix: string;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Called for every request that names an operation of the service. */
  onCall?(operation: string): void;
}

export interface JsonResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An operation that validates its input against a schema. */
export function operation<Input>(schema: z.ZodType<Input>, run: (input: Input, call: Call) => unknown): Operation {
  return (input, call) => {
    const result = schema.safeParse(input);
    if (!result.success) throw new ServiceError("ValidationException", z.prettifyError(result.error));
    return run(result.data, call);
  };
}

/** Runs the operation that `target` names. Never rejects: an error becomes a response, an emulator bug a 500. */
export async function handleJsonRequest(
  services: Readonly<Record<string, JsonService>>,
  target: string,
  body: string,
  call: Call,
): Promise<JsonResponse> {
  const [serviceName = "", operationName = ""] = target.split(".");
  const service = getOwn(services, serviceName);
  const protocol = service?.protocol ?? "1.1";
  try {
    const run = service && getOwn(service.operations, operationName);
    if (!service || !run) throw new ServiceError("UnknownOperationException", `${target} is not emulated.`);
    service.onCall?.(operationName);
    return jsonResponse(200, protocol, (await run(parseBody(body), call)) ?? {});
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      printError(`${target} failed in the emulator:`, error);
      return jsonResponse(500, protocol, { __type: "InternalFailure", message: String(error) });
    }
    const content = { __type: `${service?.errorPrefix ?? ""}${error.code}`, message: error.message };
    return jsonResponse(error.status, protocol, content, { "x-amzn-query-error": `${error.queryCode};Sender` });
  }
}

/** Own properties only: a caller may name `constructor`. */
function getOwn<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body || "{}");
  } catch {
    throw new ServiceError("SerializationException", "The request body is not JSON.");
  }
}

function jsonResponse(status: number, protocol: string, content: unknown, headers: Record<string, string> = {}) {
  return {
    status,
    headers: { "content-type": `application/x-amz-json-${protocol}`, ...headers },
    body: JSON.stringify(content),
  };
}
