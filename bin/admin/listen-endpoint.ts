import { SECOND } from "#base/kernel/time.ts";
import { callLocalApi, requireData } from "./local-api.ts";

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

interface CreatedEndpoint {
  readonly endpoint: { readonly id: string };
  readonly signing_secret: string;
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
  const query = options.tenant === undefined ? "" : `?tenant=${encodeURIComponent(options.tenant)}`;
  const body = { url: options.url, ...(options.events ? { events: options.events } : {}) };
  const path = `/v1/webhooks${query}`;
  const response = await callLocalApi<CreatedEndpoint>({ method: "POST", path, body, timeout: CREATE_TIMEOUT });
  const { endpoint, signing_secret } = requireData(response, "the endpoint");
  return {
    id: endpoint.id,
    secret: signing_secret,
    async remove() {
      try {
        const deletePath = `/v1/webhooks/${endpoint.id}${query}`;
        const { data, error } = await callLocalApi({ method: "DELETE", path: deletePath, timeout: REMOVE_TIMEOUT });
        // Another process may have deleted it.
        return data !== undefined || error?.code === "endpoint_not_found";
      } catch {
        return false;
      }
    },
  };
}
