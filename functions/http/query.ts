import * as z from "zod/mini";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "../../shared/domain/limits.ts";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";
import type { Page } from "./page.ts";

/** A query parameter that is `true` or `false`, false when absent; anything else is 400. */
export const queryFlag = z.pipe(
  z._default(z.enum(["true", "false"]), "false"),
  z.transform((text) => text === "true"),
);

/** The parameters by name. One given twice is refused: two readers might not agree on which of them counts. */
export function readParameters(query: string): Map<string, string> | Refusal<"invalid_request"> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (parameters.has(name)) return refuse("invalid_request", "a query parameter is given more than once");
    parameters.set(name, value);
  }
  return parameters;
}

/** `limit` (1 to 100, larger is clamped, 50 when absent) and `cursor` (sealed, null when absent). */
export function readPage(parameters: ReadonlyMap<string, string>): Page | Refusal<"invalid_request"> {
  const limit = readLimit(parameters.get("limit"));
  if (limit === null) {
    return refuse("invalid_request", `limit: must be a whole number from 1 to ${PAGE_SIZE_MAX}`);
  }
  return { limit, cursor: parameters.get("cursor") ?? null };
}

// Digits and nothing else: Number() would also take "1e3", " 50" and "".
function readLimit(text: string | undefined): number | null {
  if (text === undefined) return PAGE_SIZE_DEFAULT;
  if (!/^[0-9]+$/.test(text) || Number(text) < 1) return null;
  return Math.min(Number(text), PAGE_SIZE_MAX);
}
