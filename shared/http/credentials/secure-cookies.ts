/** Cookies are `Secure` everywhere but on the loopback interface, where the local stack speaks plain HTTP. */
export function isCookieSecure(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return !(protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost"));
}
