import { element } from "../dom.ts";
import { codeView, prettyJson, textView } from "../inspector/json-view.ts";
import { formatSeconds } from "../times.ts";

/** A request that a receiver got, as `GET /_sim/receivers?name=` returns it. */
export interface ReceivedRequest {
  id: string;
  at: number;
  method: string;
  headers: Record<string, string>;
  body: string;
  bytes: number;
  signature: "verified" | "wrong" | "missing" | "unchecked";
  status: number | null;
  delay_ms: number;
}

const signatures = {
  verified: ["good", "Signature verified"],
  wrong: ["bad", "Wrong signature"],
  missing: ["warn", "No signature"],
  unchecked: ["", "Signature not checked"],
} as const;

/** What the body is: the type of an event, or else its size. */
function requestTitle({ body, bytes }: ReceivedRequest): string {
  try {
    const { type } = JSON.parse(body) as { type?: unknown };
    if (typeof type === "string") return type;
  } catch {
    // Not JSON.
  }
  return `${bytes} bytes`;
}

export function requestView(request: ReceivedRequest): HTMLElement {
  const { id, at, method, status, delay_ms: delay, headers, body, signature } = request;
  const [kind, text] = signatures[signature];
  const isTaken = status !== null && status < 300;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return element(
    "li",
    {},
    element(
      "details",
      {},
      element(
        "summary",
        { class: "attempt-line", "data-key": `request ${id}` },
        element("span", { class: `pill ${isTaken ? "good" : "bad"}` }, String(status ?? "Cut")),
        element("span", {}, requestTitle(request)),
        element("span", { class: `pill ${kind}` }, text),
        element("span", { class: "when" }, formatSeconds(at), delay > 0 ? ` · after ${delay / 1000} s` : ""),
      ),
      textView(`${method} headers`, lines.join("\n")),
      codeView("Body", prettyJson(body), body),
    ),
  );
}
