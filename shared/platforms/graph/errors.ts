import { printableLine } from "#base/kernel/text/printable.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { PlatformResponse } from "./http.ts";
import { asObject, type JsonObject, parseJson } from "./json.ts";
import type { SendRefused } from "./platform.ts";
import { lookUpMeaning, noConsequences, type RefusalMeaning } from "./refusal-table.ts";

const COOL_DOWN_DEFAULT: Millis = MINUTE;
const COOL_DOWN_MAX: Millis = DAY;
const TOO_MANY_REQUESTS = 429;
const DETAIL_CHARS_MAX = 300;
/** How much of a platform's text is read. It may have a megabyte. */
const READ_CHARS_MAX = 4_000;
/** What the platform's text for people, and the advice, may each take of these. */
const ADDED_CHARS_MAX = 150;

/** The outcome of a call of which no byte was sent. */
export const unreachable: SendRefused = {
  kind: "refused",
  class: "other",
  detail: "The platform could not be reached.",
  code: null,
  subcode: null,
  ...noConsequences,
  transient: true,
};

/**
 * Interprets the error object of a 4xx response.
 * @param secrets the token and other secrets of the call, which are removed from the detail
 * @param humanAgent whether the message had the human-agent tag
 * @returns null when the message may have been accepted
 */
export function readRefusal(
  error: JsonObject,
  response: Pick<PlatformResponse, "status" | "usage" | "retryAfter">,
  secrets: readonly string[],
  humanAgent = false,
): SendRefused | null {
  const code = readInteger(error.code);
  const subcode = readInteger(error.error_subcode);
  const { meaning: listed, generic } = lookUpMeaning(code, subcode);
  const isFinal = error.is_transient === false;
  const listedMeaning = listed === "unsure" && isFinal ? undefined : listed;
  if (listedMeaning === "unsure" || (listedMeaning === undefined && error.is_transient === true)) return null;
  const { advice, ...meaning } = listedMeaning ?? defaultMeaning(response.status);
  const detail = refusalDetail(error, secrets, advice);
  const humanAgentRefused = humanAgent && isAboutTag({ code, subcode, generic, detail });
  return {
    kind: "refused",
    detail,
    code,
    subcode,
    ...noConsequences,
    ...meaning,
    ...(isFinal ? { transient: false } : {}),
    coolDownMs: meaning.class === "rate" ? coolDownDuration(response) : null,
    // Only the permission for the tag may be missing, so the account's status stays.
    ...(humanAgentRefused ? { humanAgentRefused, accountStatus: null } : {}),
  };
}

function defaultMeaning(status: number): RefusalMeaning {
  return { class: status === TOO_MANY_REQUESTS ? "rate" : "other" };
}

const RIGHTS: ReadonlySet<number | null> = new Set([3, 10, 200]);
const INVALID = 100;
const RETIRED_TAG = 1893061;

// The platforms document no error for a missing permission of the human-agent tag. On a tagged send, a permission error
// without a specific subcode counts as one, and so does an invalid parameter whose text names a tag.
function isAboutTag(refusal: {
  code: number | null;
  subcode: number | null;
  generic: boolean;
  detail: string;
}): boolean {
  const { code, subcode, generic, detail } = refusal;
  if (code === INVALID && subcode === RETIRED_TAG) return true;
  if (!generic) return false;
  return RIGHTS.has(code) || (code === INVALID && /\btags?\b|human[\s_]?agent/i.test(detail));
}

function readInteger(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

/** The longer of the usage header and `Retry-After`, at most a day. A minute when both are absent. */
function coolDownDuration({ usage, retryAfter }: Pick<PlatformResponse, "usage" | "retryAfter">): Millis {
  const requestedWait = Math.max(usageWait(usage), retryAfter ?? 0);
  return requestedWait > 0 ? Math.min(Math.ceil(requestedWait), COOL_DOWN_MAX) : COOL_DOWN_DEFAULT;
}

// {"<business id>": [{ "type": "messenger", "estimated_time_to_regain_access": <minutes>, … }]}
function usageWait(usage: string | null): Millis {
  const businesses = Object.values(asObject(usage === null ? null : parseJson(usage)) ?? {});
  return businesses
    .flatMap((uses: unknown) => (Array.isArray(uses) ? uses : []))
    .map((use: unknown) => asObject(use)?.estimated_time_to_regain_access)
    .filter((minutes) => typeof minutes === "number")
    .reduce((longest, minutes) => Math.max(longest, minutes * MINUTE), 0);
}

/**
 * The platform's error text, its text for people and our advice, on one line, without tokens, at most 300 characters.
 * Never empty. Of a text that is too long the technical part is cut first.
 */
export function refusalDetail(error: JsonObject, secrets: readonly string[], advice?: string): string {
  const message = sanitizeText(error.message, secrets);
  const userText = cutText(sanitizeText(error.error_user_msg, secrets), ADDED_CHARS_MAX);
  const hints = [message.includes(userText) ? "" : userText, advice ?? ""].filter((part) => part !== "").join(" ");
  if (hints === "") return cutText(message, DETAIL_CHARS_MAX) || "The platform refused the message.";
  return `${cutText(message, DETAIL_CHARS_MAX - hints.length - 1).trimEnd()} ${hints}`.trim();
}

/** A text of the platform on one line, without tokens. Empty when there is none. Only its beginning is read. */
function sanitizeText(value: unknown, secrets: readonly string[]): string {
  if (typeof value !== "string") return "";
  // Removed before the last cut, so that no part of a token remains.
  let text = beginning(value);
  for (const secret of secrets.flatMap((plain) => [plain, encodeURIComponent(plain.toWellFormed())])) {
    if (secret !== "") text = text.replaceAll(secret, "[token]");
  }
  return (
    text
      .replace(
        /\b(?:access_token|appsecret_proof|client_secret|fb_exchange_token|input_token)\b["']?\s*[=:]\s*["']?[^\s"'&]+/gi,
        "[token]",
      )
      .replace(/\bBearer\s+\S+/gi, "[token]")
      // The signed URL of an uploaded file.
      .replace(/\bhttps?:\S*/gi, (url) => (/X-Amz-/i.test(url) ? "[url]" : url))
      .replace(/\b(?:EAA|IGAA|IGQ)[\w-]{8,}/g, "[token]")
      .replace(/(?<![\w.|~-])[\w.|~-]{40,}/g, "[token]")
      .trim()
  );
}

/**
 * The first characters of a text, on one line. A cut may fall into a token, so the ASCII characters before it are left out, which are
 * all that tokens and addresses consist of.
 */
function beginning(text: string): string {
  const line = printableLine(text.slice(0, READ_CHARS_MAX).toWellFormed());
  let end = line.length;
  if (text.length > READ_CHARS_MAX) while (end > 0 && isVisibleAscii(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

function isVisibleAscii(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f;
}

function cutText(text: string, charsMax: number): string {
  return text.length > charsMax ? text.slice(0, charsMax).replace(/[\uD800-\uDBFF]$/, "") : text;
}
