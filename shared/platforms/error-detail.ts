const DETAIL_CHARS_MAX = 300;

/** What a platform said, at most 300 characters on one line, with anything like a token taken out; never empty. */
export function sanitizeDetail(message: unknown, token: string): string {
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
