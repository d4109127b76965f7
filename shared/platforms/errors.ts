import type { Millis } from "../kernel/time.ts";
import { DAY, MINUTE } from "../kernel/time.ts";
import { asObject, type JsonObject, parseJson } from "./json.ts";
import type { RefusalClass, SendRefused } from "./platform.ts";

const DETAIL_CHARS_MAX = 300;
const RETRY_AFTER_MAX: Millis = DAY;

// `code/subcode` first, then `/subcode` with any code, then `code`. A code that stands alone with a meaning of its own
// only without a subcode is written `code/`.
const classes: ReadonlyMap<string, RefusalClass> = new Map([
  ["10/2018278", "window"],
  ["10/2534022", "window"],
  ["10/2018065", "window"],
  ["10/1545041", "window"],
  ["10/2018108", "recipient"],
  ["200/1545041", "recipient"],
  ["551", "recipient"],
  ["100/2018001", "recipient"],
  ["100/2534014", "recipient"],
  ["100/33", "recipient"],
  ["10/1893063", "restricted"],
  ["100/2534029", "restricted"],
  ["2022", "restricted"],
  ["/2018300", "thread_owner"],
  ["2018300", "thread_owner"],
  ["100/2534037", "thread_owner"],
  ["10/2534077", "permission"],
  ["100/2534013", "permission"],
  ["200/2534041", "permission"],
  // Code 10 has many subcodes; one that is not listed says nothing about the account's rights.
  ["10/", "permission"],
  ["200", "permission"],
  ["3", "permission"],
  ["190", "token"],
  ["4", "rate"],
  ["17", "rate"],
  ["32", "rate"],
  // Too much to one person, judged as abuse: waiting does not mend it, and the account's other sends may go on.
  ["613/2018338", "other"],
  ["613", "rate"],
  ["80001", "rate"],
  ["80002", "rate"],
  ["80006", "rate"],
  ["100", "invalid"],
]);

// With these the platform does not itself know how far it got.
const unsure: ReadonlySet<number | null> = new Set([1, 2, 1200]);

/**
 * What a 4xx answer's error object means; null when it leaves open whether the message was taken.
 * @param usage the `X-Business-Use-Case-Usage` header
 * @param token the token of the call, which must not show in the detail
 */
export function readRefusal(error: JsonObject, usage: string | null, token: string): SendRefused | null {
  const code = integerOf(error.code);
  const subcode = integerOf(error.error_subcode);
  const known = classOf(code, subcode);
  if (unsure.has(code) || (known === undefined && error.is_transient === true)) return null;
  const found = known ?? "other";
  return {
    kind: "refused",
    class: found,
    detail: detailOf(error.message, token),
    code,
    subcode,
    retryAfterMs: found === "rate" ? retryAfterOf(usage) : null,
  };
}

function classOf(code: number | null, subcode: number | null): RefusalClass | undefined {
  const keys = subcode ? [`${code}/${subcode}`, `/${subcode}`, `${code}`] : [`${code}/`, `${code}`];
  return keys.map((key) => classes.get(key)).find((found) => found !== undefined);
}

function integerOf(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

function detailOf(message: unknown, token: string): string {
  if (typeof message !== "string" || message.trim() === "") return "The platform refused the message.";
  // Taken out before the cut, so that no part of a token is left over.
  let text = message;
  for (const secret of [token, encodeURIComponent(token.toWellFormed())]) {
    if (secret !== "") text = text.replaceAll(secret, "[token]");
  }
  const clean = text
    .replace(/\b(?:access_token|appsecret_proof|client_secret)\b["']?\s*[=:]\s*["']?[^\s"'&]+/gi, "[token]")
    .replace(/\bBearer\s+\S+/gi, "[token]")
    .replace(/\b(?:EAA|IGAA|IGQ)[\w-]{8,}/g, "[token]")
    .replace(/[\w.|~-]{40,}/g, "[token]")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim();
  return clean.length > DETAIL_CHARS_MAX ? clean.slice(0, DETAIL_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "") : clean;
}

// {"<business id>": [{ "type": "messenger", "estimated_time_to_regain_access": <minutes>, … }]}
function retryAfterOf(usage: string | null): Millis | null {
  const businesses = Object.values(asObject(usage === null ? null : parseJson(usage)) ?? {});
  const minutes = businesses
    .flatMap((uses: unknown) => (Array.isArray(uses) ? uses : []))
    .map((use: unknown) => asObject(use)?.estimated_time_to_regain_access)
    .filter((wait) => typeof wait === "number")
    .reduce((longest, wait) => Math.max(longest, wait), 0);
  return minutes > 0 ? Math.min(Math.ceil(minutes * MINUTE), RETRY_AFTER_MAX) : null;
}
