import { ParleyError } from "../../../client/src/errors.ts";
import { Parley } from "../../../client/src/parley.ts";
import { CliError } from "../cli-error.ts";
import { type LocalStack, localStack, stackNotRunning } from "./local-stack.ts";

/** Where a command works: the local stack of the data folder, or a deployment. */
export interface Target {
  /** As the subject of a sentence: `The local stack`, or `The deployment`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly api: Parley;
  /** Null for a deployment. */
  readonly local: LocalStack | null;
  /** The error for no response. */
  unreachable(error: ParleyError): CliError;
}

/** What the arguments say of the target. */
export interface TargetArguments {
  readonly url?: string | undefined;
  readonly tenant?: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The local stack of the data folder, with the key in PARLEY_KEY or its live key. @throws CliError when none runs */
export function localTarget({ tenant }: TargetArguments = {}, env: Variables = process.env): Target {
  const local = localStack();
  const { base_url: baseUrl, live_key: liveKey } = local;
  const apiKey = env.PARLEY_KEY || liveKey;
  if (!apiKey) throw new CliError("The local stack has no tenant. Start it without PARLEY_SEED, or set PARLEY_KEY.");
  return {
    name: "The local stack",
    baseUrl,
    api: openApi(baseUrl, apiKey, tenant),
    local,
    unreachable: () => stackNotRunning(),
  };
}

/**
 * The deployment of `--url` or PARLEY_URL with the key in PARLEY_KEY, else the local stack.
 * @throws CliError for a missing key, a URL without https, and when no stack runs
 */
export function resolveTarget(values: TargetArguments, env: Variables = process.env): Target {
  const baseUrl = values.url ?? env.PARLEY_URL;
  if (!baseUrl) return localTarget(values, env);
  if (!env.PARLEY_KEY) throw new CliError("Missing API key. Set PARLEY_KEY to a key of the deployment.");
  return {
    name: "The deployment",
    baseUrl,
    api: openApi(baseUrl, env.PARLEY_KEY, values.tenant),
    local: null,
    unreachable: (error) =>
      new CliError(`No response from ${baseUrl} (${networkCause(error)}). Check the URL and your connection.`),
  };
}

/** @throws CliError for a command that a deployment has no part for */
export function requireLocal({ local }: Target, command: string): LocalStack {
  if (local !== null) return local;
  throw new CliError(`${command} is only for the local stack. Leave out --url, and unset PARLEY_URL.`);
}

/**
 * Waits for a call of the API.
 * @param subject what was refused, such as `the endpoint`
 * @param advice a sentence that follows the message of the API
 * @throws CliError with the message of the API, and for no response
 */
export async function callApi<T>(target: Target, call: Promise<T>, subject: string, advice?: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    if (error.code === "connection_failed" || error.code === "timeout") throw target.unreachable(error);
    if (error.code === "unexpected_response") throw new CliError(`${target.name} returned an unreadable response.`);
    const explanation = [error.message, error.detail, advice].filter(Boolean).join(" ");
    throw new CliError(
      `${target.name} refused ${subject} (${error.code}): ${explanation.replace(/\s+/g, " ")}${documentationLine(error)}`,
    );
  }
}

/** A line with the documentation of the error's code, to follow its message. Empty when the response names none. */
export function documentationLine({ docsUrl }: ParleyError): string {
  return docsUrl === null ? "" : `\nDocumentation: ${docsUrl}`;
}

function openApi(baseUrl: string, apiKey: string, tenant: string | undefined): Parley {
  try {
    // A person waits, and sees each failure.
    return new Parley({ baseUrl, apiKey, tenant, maxRetries: 0 });
  } catch (error) {
    throw error instanceof ParleyError ? new CliError(error.message) : error;
  }
}

function networkCause({ cause, code }: ParleyError): string {
  const reason = cause as { readonly code?: string; readonly cause?: { readonly code?: string } } | undefined;
  return reason?.cause?.code ?? reason?.code ?? code;
}
