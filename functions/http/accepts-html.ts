/** Whether a request is that of a browser that navigates: it accepts HTML, and says so. */
export function acceptsHtml(headers: Headers): boolean {
  return /\btext\/html\b/i.test(headers.get("accept") ?? "");
}
