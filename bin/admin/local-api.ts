import { SECOND } from "#base/kernel/time.ts";
import { CliError } from "./cli-error.ts";
import { localStack, stackNotRunning } from "./local-stack.ts";

/** Longer than any request to the API takes. */
const CALL_TIMEOUT = 30 * SECOND;

interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
}

/** A parsed response of the API: `data` or `error`, or neither if it is unreadable. */
export interface ApiEnvelope<T> {
  readonly data?: T;
  readonly error?: ApiError;
}

export interface LocalCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  /** In milliseconds. */
  readonly timeout?: number;
}

/**
 * Calls the API of the local stack with the key in PARLEY_KEY or the stack's live key.
 * @throws CliError when no stack runs or responds
 */
export async function callLocalApi<T>({ method, path, body, timeout }: LocalCall): Promise<ApiEnvelope<T>> {
  const { local } = localStack();
  const headers = {
    authorization: `Bearer ${process.env.PARLEY_KEY || local.live_key}`,
    "content-type": "application/json",
  };
  const response = await fetch(local.base_url + path, {
    method,
    headers,
    signal: AbortSignal.timeout(timeout ?? CALL_TIMEOUT),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw stackNotRunning();
  });
  return (await response.json().catch(() => ({}))) as ApiEnvelope<T>;
}

/**
 * Calls a control route of the local stack or of its simulator, with the control token of its data folder.
 * @throws CliError when no stack with this data folder responds
 */
export async function callControlRoute(url: string, body?: object): Promise<Response> {
  const { control_token: token } = localStack().local;
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw stackNotRunning();
  });
  // The stack was killed, and another one has its port.
  if (response.status === 401) throw stackNotRunning();
  return response;
}

/**
 * The data of a response.
 * @param subject what the stack refused, such as `the endpoint`
 * @param advice a sentence that follows the stack's message
 * @throws CliError with the stack's message when it refused
 */
export function requireData<T>({ data, error }: ApiEnvelope<T>, subject: string, advice?: string): T {
  if (data !== undefined) return data;
  if (!error) throw new CliError("The local stack returned an unreadable response.");
  const explanation = [error.message, error.detail, advice].filter(Boolean).join(" ");
  throw new CliError(`The local stack refused ${subject} (${error.code}): ${explanation.replace(/\s+/g, " ")}`);
}
