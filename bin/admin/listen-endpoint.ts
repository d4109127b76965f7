import { SECOND } from "../../shared/kernel/time.ts";
import { CliError } from "./cli-error.ts";
import { localStack, stackNotRunning } from "./deployment.ts";

const CREATE_TIMEOUT = 20 * SECOND;
/** The user waits for this after Ctrl-C. */
const REMOVE_TIMEOUT = 5 * SECOND;

/** A temporary webhook endpoint of the local stack for one run of `listen`. */
export interface ListenEndpoint {
  readonly id: string;
  readonly secret: string;
  /** @returns false when the stack did not delete it */
  remove(): Promise<boolean>;
}

interface Envelope {
  readonly data?: { readonly endpoint: { readonly id: string }; readonly signing_secret: string };
  readonly error?: { readonly code: string; readonly message: string; readonly detail?: string };
}

/**
 * Creates the endpoint through the stack's API with the key in PARLEY_KEY or the stack's live key.
 * @param options `tenant` is required only for an operator key; without `events` the endpoint receives all types
 * @throws CliError with the stack's message when it refuses, and when no stack runs
 */
export async function createListenEndpoint(options: {
  url: string;
  tenant: string | undefined;
  events: readonly string[] | undefined;
}): Promise<ListenEndpoint> {
  const { local } = localStack();
  const query = options.tenant === undefined ? "" : `?tenant=${encodeURIComponent(options.tenant)}`;
  const headers = {
    authorization: `Bearer ${process.env.PARLEY_KEY || local.live_key}`,
    "content-type": "application/json",
  };
  const call = (method: string, path: string, timeout: number, body?: string): Promise<Response> =>
    fetch(`${local.base_url}/v1/webhooks${path}${query}`, {
      method,
      headers,
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body }),
    });

  const body = JSON.stringify({ url: options.url, ...(options.events ? { events: options.events } : {}) });
  const response = await call("POST", "", CREATE_TIMEOUT, body).catch(() => {
    throw stackNotRunning();
  });
  const { data, error } = await parseEnvelope(response);
  if (!data) throw new CliError(refusalMessage(error));
  return {
    id: data.endpoint.id,
    secret: data.signing_secret,
    async remove() {
      try {
        const deleteResponse = await call("DELETE", `/${data.endpoint.id}`, REMOVE_TIMEOUT);
        // Another process may have deleted it.
        return deleteResponse.ok || (await parseEnvelope(deleteResponse)).error?.code === "endpoint_not_found";
      } catch {
        return false;
      }
    },
  };
}

async function parseEnvelope(response: Response): Promise<Envelope> {
  return (await response.json().catch(() => ({}))) as Envelope;
}

function refusalMessage(error: Envelope["error"]): string {
  if (!error) return "The local stack returned an unreadable response.";
  const explanation = error.detail ? `${error.message} ${error.detail}` : error.message;
  return `The local stack refused the endpoint (${error.code}): ${explanation.replace(/\s+/g, " ")}`;
}
