import { SECOND } from "../../shared/kernel/time.ts";
import { localStack, noStack } from "./deployment.ts";
import { Unable } from "./unable.ts";

const CREATE_TIMEOUT = 20 * SECOND;
/** Whoever pressed Ctrl-C waits for this. */
const REMOVE_TIMEOUT = 5 * SECOND;

/** A webhook endpoint of the local stack, made for one run of `listen`. */
export interface ListenEndpoint {
  readonly id: string;
  readonly secret: string;
  /** @returns false when it is left behind, because the stack does not answer or cannot remove endpoints */
  remove(): Promise<boolean>;
}

interface Envelope {
  readonly data?: { readonly endpoint: { readonly id: string }; readonly signing_secret: string };
  readonly error?: { readonly code: string; readonly message: string; readonly detail?: string };
}

/**
 * Creates the endpoint through the stack's API, with the key in PARLEY_KEY or the stack's own live key.
 * @param wish `tenant` is named only where the key needs it; without `events` the endpoint gets all of them
 * @throws Unable with the stack's own words when it refuses, and when no stack runs
 */
export async function createListenEndpoint(wish: {
  url: string;
  tenant: string | undefined;
  events: readonly string[] | undefined;
}): Promise<ListenEndpoint> {
  const { local } = localStack();
  const query = wish.tenant === undefined ? "" : `?tenant=${encodeURIComponent(wish.tenant)}`;
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

  const body = JSON.stringify({ url: wish.url, ...(wish.events ? { events: wish.events } : {}) });
  const answer = await call("POST", "", CREATE_TIMEOUT, body).catch(() => {
    throw noStack();
  });
  const { data, error } = await envelopeOf(answer);
  if (!data) throw new Unable(refusalOf(error));
  return {
    id: data.endpoint.id,
    secret: data.signing_secret,
    async remove() {
      try {
        const removed = await call("DELETE", `/${data.endpoint.id}`, REMOVE_TIMEOUT);
        // Someone else may have deleted it meanwhile.
        return removed.ok || (await envelopeOf(removed)).error?.code === "endpoint_not_found";
      } catch {
        return false;
      }
    },
  };
}

async function envelopeOf(answer: Response): Promise<Envelope> {
  return (await answer.json().catch(() => ({}))) as Envelope;
}

function refusalOf(error: Envelope["error"]): string {
  if (!error) return "The local stack gave no answer that could be read.";
  const words = error.detail ? `${error.message} ${error.detail}` : error.message;
  return `The local stack refused the endpoint (${error.code}): ${words.replace(/\s+/g, " ")}`;
}
