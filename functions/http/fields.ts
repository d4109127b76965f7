import * as z from "zod/mini";
import type { Millis } from "../../shared/kernel/time.ts";

// Types of parameters and body fields that several routes share.

/** The last instant that a ULID can hold. */
const INSTANT_MAX: Millis = 2 ** 48 - 1;
const isoText = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** ISO 8601 (UTC when it names no zone) or epoch milliseconds. Anything else is 400. */
export const instant = z.pipe(
  z.union([z.string(), z.number()]).check(z.describe("ISO 8601 or epoch milliseconds")),
  z.transform((value: string | number, payload): Millis => {
    const at = parseInstant(value);
    if (at !== null) return at;
    payload.issues.push({
      code: "custom",
      input: value,
      message: "must be a time in ISO 8601 or epoch milliseconds",
    });
    return z.NEVER;
  }),
);

function parseInstant(value: string | number): Millis | null {
  const at = typeof value === "number" || /^[0-9]{1,15}$/.test(value) ? Number(value) : parseIsoDate(value);
  return Number.isInteger(at) && at >= 0 && at <= INSTANT_MAX ? at : null;
}

function parseIsoDate(text: string): number {
  if (!z.safeParse(isoText, text).success) return Number.NaN;
  return Date.parse(/T.*(Z|[+-][0-9:]+)$|^[^T]*$/.test(text) ? text : `${text}Z`);
}

/** A comma-separated list of `allowedValues`. Anything else is 400. */
export function commaSeparated<const W extends string>(allowedValues: readonly W[]) {
  return z.pipe(
    z.string().check(z.describe(`One or more of ${allowedValues.join(", ")}, separated by commas`)),
    z.transform((text: string, payload): W[] => {
      const parts = [...new Set(text.split(","))];
      const values = allowedValues.filter((word) => parts.includes(word));
      if (values.length === parts.length) return values;
      payload.issues.push({
        code: "custom",
        input: text,
        message: `must be one or more of ${allowedValues.join(",")}`,
      });
      return z.NEVER;
    }),
  );
}

/** A query parameter that is `true` or `false` (default). Anything else is 400. */
export const queryFlag = z.pipe(
  z._default(z.enum(["true", "false"]), "false"),
  z.transform((text) => text === "true"),
);
