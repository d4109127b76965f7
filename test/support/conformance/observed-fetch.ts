// The stacks of a worker's tests, by origin.
const origins = new Set<string>();
const unobservedFetch = globalThis.fetch;

/**
 * From now on, each answer that `fetch` gets from this stack, and each frame that a test's socket gets from its stream, is
 * checked against the OpenAPI document.
 */
export function observeStack({ base_url, ws_url }: { readonly base_url: string; readonly ws_url: string }): void {
  for (const url of [base_url, ws_url]) origins.add(new URL(url).origin);
  globalThis.fetch = observedFetch;
}

/** Whether a URL is of an observed stack. */
export function isObserved(url: string): boolean {
  return origins.has(new URL(url).origin);
}

const observedFetch: typeof fetch = async (input, init) => {
  const response = await unobservedFetch(input, init);
  const url = new URL(response.url);
  const request = { ...(input instanceof Request ? requestOf(input) : {}), ...init };
  const isAnswerOfApi = origins.has(url.origin) && !url.pathname.startsWith("/_local/") && !isOtherPage(url, request);
  if (isAnswerOfApi) await observe(url, response, request);
  return response;
};

/** A stack's port refuses pages of other origins before its API. */
function isOtherPage(url: URL, { headers }: RequestInit): boolean {
  const origin = new Headers(headers).get("origin");
  return origin !== null && origin !== url.origin;
}

async function observe(url: URL, response: Response, { method = "GET", headers, body }: RequestInit): Promise<void> {
  // The compiled schemas are not loaded by a test that calls no stack.
  const { observeExchange } = await import("./observed.ts");
  observeExchange({
    method: response.redirected ? "GET" : method,
    url: url.pathname + url.search,
    requestHeaders: new Headers(headers),
    requestBody: typeof body === "string" ? Buffer.from(body) : null,
    status: response.status,
    headers: response.headers,
    body: await response.clone().bytes(),
  });
}

function requestOf({ method, headers }: Request): RequestInit {
  return { method, headers };
}
