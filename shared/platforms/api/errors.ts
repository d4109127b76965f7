import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import { asObject, type JsonObject, parseJson } from "../json.ts";
import type { SendRefused } from "../platform.ts";
import type { PlatformResponse } from "./http.ts";
import { lookUpMeaning, noConsequences, type RefusalMeaning } from "./refusal-table.ts";

const COOL_DOWN_DEFAULT: Millis = MINUTE;
const COOL_DOWN_MAX: Millis = DAY;
const TOO_MANY_REQUESTS = 429;
const DETAIL_CHARS_MAX = 300;

/**
 * What a 4xx answer's error object means; null when it leaves open whether the message was taken.
 * @param token the token of the call, which must not show in the detail
 * @param humanAgent whether the call carried the human agent's tag
 */
export function readRefusal(
  error: JsonObject,
  response: Pick<PlatformResponse, "status" | "usage" | "retryAfter">,
  token: string,
  humanAgent = false,
): SendRefused | null {
  const code = readInteger(error.code);
  const subcode = readInteger(error.error_subcode);
  const { meaning: listedMeaning, generic } = lookUpMeaning(code, subcode);
  if (listedMeaning === "unsure" || (listedMeaning === undefined && error.is_transient === true)) return null;
  const meaning = listedMeaning ?? defaultMeaning(response.status);
  const detail = sanitizeDetail(error.message, token);
  const humanAgentRefused = humanAgent && isAboutTag({ code, subcode, generic, detail });
  return {
    kind: "refused",
    detail,
    code,
    subcode,
    ...noConsequences,
    ...meaning,
    coolDownMs: meaning.class === "rate" ? coolDownDuration(response) : null,
    // Without the right to the tag an account may still have every other: its next untagged send tells.
    ...(humanAgentRefused ? { humanAgentRefused, accountStatus: null } : {}),
  };
}

function defaultMeaning(status: number): RefusalMeaning {
  return { class: status === TOO_MANY_REQUESTS ? "rate" : "other" };
}

const RIGHTS: ReadonlySet<number | null> = new Set([3, 10, 200]);
const INVALID = 100;
const RETIRED_TAG = 1893061;

// The platforms document no error for an app that lacks the right to the tag. A missing right of no further name on a
// tagged send is taken for it, and so is an invalid parameter that is called a tag.
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

/** The longer of what the usage header and `Retry-After` name, else a minute; never over a day. */
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

/** What a platform said, at most 300 characters on one line, with anything like a token taken out; never empty. */
function sanitizeDetail(message: unknown, token: string): string {
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
