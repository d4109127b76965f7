/** Whether a request is that of a browser that navigates: its Accept header names HTML. A program's may be anything else. */
export function acceptsHtml(headers: Headers): boolean {
  return /\btext\/html\b/i.test(headers.get("accept") ?? "");
}
