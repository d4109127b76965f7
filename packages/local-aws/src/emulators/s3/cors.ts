import { elements, texts } from "./xml.ts";

export interface CorsRule {
  readonly methods: readonly string[];
  /** `*`, or an origin with at most one `*`. */
  readonly origins: readonly string[];
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
}

export function parseCors(xml: string): CorsRule[] {
  return elements(xml, "CORSRule").map((rule) => ({
    methods: texts(rule, "AllowedMethod"),
    origins: texts(rule, "AllowedOrigin"),
    headers: texts(rule, "AllowedHeader"),
    exposed: texts(rule, "ExposeHeader"),
  }));
}

/**
 * The CORS response headers for a request; none if no rule of the bucket allows it.
 * @param headers the request's headers, where a preflight names its method
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  method: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const { origin } = headers;
  if (!origin) return {};
  const requestedMethod = headers["access-control-request-method"] ?? method;
  const requestedHeaders = (headers["access-control-request-headers"] ?? "").split(",").map((name) => name.trim());
  const headerNames = requestedHeaders.filter((name) => name !== "");
  const rule = rules.find(
    (one) =>
      one.methods.includes(requestedMethod) &&
      one.origins.some((pattern) => matches(pattern, origin)) &&
      headerNames.every((name) => one.headers.some((pattern) => matches(pattern.toLowerCase(), name.toLowerCase()))),
  );
  if (!rule) return {};
  return {
    // Never a wildcard, which would also let a page read that the server refuses.
    "access-control-allow-origin": origin,
    "access-control-allow-methods": rule.methods.join(", "),
    vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
    ...(headerNames.length > 0 ? { "access-control-allow-headers": headerNames.join(", ") } : {}),
    ...(rule.exposed.length > 0 ? { "access-control-expose-headers": rule.exposed.join(", ") } : {}),
  };
}

function matches(pattern: string, value: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === value;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return value.length >= start.length + end.length && value.startsWith(start) && value.endsWith(end);
}
