import type { ReadableHeaders } from "../header-map.ts";
/** Whether a request is that of a browser that navigates: its Accept header names HTML. A program's may be anything else. */
export function acceptsHtml(headers: ReadableHeaders): boolean {
  return /\btext\/html\b/i.test(headers.get("accept") ?? "");
}
