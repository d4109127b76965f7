/** A page has no API key: it uses the session of the browser. */
export const credentials: { readonly apiKey?: string } = "document" in globalThis ? {} : { apiKey: "svc_test_k" };
