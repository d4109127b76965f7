import * as z from "zod/mini";
import { parseEmailAddress } from "../../shared/domain/access/email-addresses.ts";
import type { Millis } from "../../shared/kernel/time.ts";

// Types of parameters and body fields that several routes share.

/** The last instant that a ULID can hold. */
const INSTANT_MAX: Millis = 2 ** 48 - 1;
const isoText = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** ISO 8601 (UTC when it names no zone) or epoch milliseconds. Anything else is 400. */
export const instant = z.pipe(
  z.union([z.string(), z.number()]).check(
    z.meta({
      description: "ISO 8601 or epoch milliseconds",
      anyOf: [
        { type: "string", format: "date-time" },
        { type: "string", format: "date" },
        { type: "string", pattern: "^[0-9]{1,14}$" },
        { type: "integer", minimum: 0, maximum: INSTANT_MAX },
      ],
    }),
  ),
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
  // Times before 1970 count as its start: nothing is older.
  return Math.max(0, Date.parse(/T.*(Z|[+-][0-9:]+)$|^[^T]*$/.test(text) ? text : `${text}Z`));
}

/** A comma-separated list of `allowedValues`. Anything else is 400. */
export function commaSeparated<const W extends string>(allowedValues: readonly W[]) {
  const oneValue = `(${allowedValues.join("|").replaceAll(".", "\\.")})`;
  return z.pipe(
    z.string().check(
      z.meta({
        description: `One or more of ${allowedValues.join(", ")}, separated by commas`,
        pattern: `^${oneValue}(,${oneValue})*$`,
      }),
    ),
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

/** The form of a public https URL, for the OpenAPI document. The code that reads the URL decides. */
export const httpsUrlMeta = z.meta({
  format: "uri",
  pattern: "^https://([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z]{2,}(:[0-9]{1,4})?([/?#][!-\\[\\]-~]*)?$",
});

const MULTI_LINE_PATTERN = "[\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]";
const multiLine = new RegExp(MULTI_LINE_PATTERN);

/** An email address, in its normal form. Anything else is 400. The pattern is that of most addresses, not of all. */
export const emailAddress = z.pipe(
  z.string().check(
    z.meta({
      format: "email",
      maxLength: 254,
      pattern: "^[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9]{1,30}(-[A-Za-z0-9]{1,30})?\\.){1,4}[A-Za-z]{2,30}$",
    }),
  ),
  z.transform((text: string, payload): string => {
    const address = parseEmailAddress(text);
    if (address !== null) return address;
    payload.issues.push({ code: "custom", input: text, message: "must be an email address of at most 254 characters" });
    return z.NEVER;
  }),
);

/** A text that is shown as one line, in the order in which it is written. */
export const singleLine = [
  z.refine<string>((text) => !multiLine.test(text), "must not contain control characters or line breaks"),
  z.meta({ pattern: `^[^${MULTI_LINE_PATTERN.slice(1)}*$` }),
] as const;

/** A text of at most `max` characters. An emoji counts as one, as in JSON Schema. */
export function charactersMax(max: number) {
  return [
    z.refine<string>(
      (text) => text.length <= max || Array.from(text).length <= max,
      `must have at most ${max} characters`,
    ),
    z.meta({ maxLength: max }),
  ] as const;
}
