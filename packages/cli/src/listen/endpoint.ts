import { ParleyError } from "../../../client/src/errors.ts";
import type { Body } from "../../../client/src/operations.ts";
import { callApi, type Target } from "../target/target.ts";

const CREATE_TIMEOUT_MS = 20_000;
/** The user waits for this after Ctrl-C. */
const REMOVE_TIMEOUT_MS = 5_000;

/** A temporary webhook endpoint of the local stack for one run of `listen`. */
export interface ListenEndpoint {
  readonly id: string;
  /** @returns false when the stack did not delete it */
  remove(): Promise<boolean>;
}

/**
 * Creates the endpoint through the API.
 * @param events without them the endpoint receives all default types
 * @throws CliError with the stack's message when it refuses, and when no stack runs
 */
export async function createListenEndpoint(
  target: Target,
  { url, events }: { readonly url: string; readonly events: readonly string[] | undefined },
): Promise<ListenEndpoint> {
  // The API names the types that it does not know.
  const body = { url, ...(events ? { events } : {}) } as Body<"POST /v1/webhooks">;
  const creation = target.api.webhooks.create(body, {}, { timeoutMs: CREATE_TIMEOUT_MS });
  const { endpoint } = await callApi(target, creation, "the endpoint");
  return {
    id: endpoint.id,
    async remove() {
      try {
        await target.api.webhooks.delete(endpoint.id, {}, { timeoutMs: REMOVE_TIMEOUT_MS });
        return true;
      } catch (error) {
        // Another process may have deleted it.
        return error instanceof ParleyError && error.code === "endpoint_not_found";
      }
    },
  };
}
