/** The fields of a declaration that are functions, called once when the schema is first read. */
const LAZY_FIELDS = ["query", "body", "requestHeaders", "data", "errorFields"] as const;

/**
 * A route whose schemas are made when they are first read. A function that starts for one request makes the schemas of
 * that route alone.
 */
export function withLazySchemas<E>(declaration: object): E {
  const endpoint: Record<string, unknown> = { ...declaration };
  for (const field of LAZY_FIELDS) {
    const declared = endpoint[field];
    if (typeof declared === "function")
      Object.defineProperty(endpoint, field, { get: once(() => declared()), enumerable: true });
  }
  return endpoint as E;
}

/** A function that makes its value at the first call and returns it at each. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
