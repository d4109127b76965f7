import * as z from "zod/mini";
import { FILENAME_BYTES_MAX } from "#base/kernel/limits.ts";
import { isPrintableLine } from "#base/kernel/text/printable.ts";
import type { Millis } from "#base/kernel/time.ts";
import { hasCharactersAtMost, hasVisibleCharacter } from "#features/access/rules/display-texts.ts";
import { parseEmailAddress } from "#features/access/rules/email-addresses.ts";
import { cleanFilename, normalizeContentType } from "#features/uploads/rules/media-types.ts";

// Types of parameters and body fields that several routes share.

/** The last instant that a ULID can hold. */
const INSTANT_MAX: Millis = 2 ** 48 - 1;
const isoText = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** A number from 1 to this one is a time in seconds: as milliseconds it would be in the first three years after 1970. */
const SECONDS_MAX = 10 ** 11;

/**
 * ISO 8601 (UTC when it names no zone) or epoch milliseconds. Anything else is 400, and so are epoch seconds, which would
 * select all that is stored.
 */
export const instant = z.pipe(
  z.union([z.string(), z.number()]).check(
    z.meta({
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
    const isSeconds = at !== null && isNumeric(value) && at >= 1 && at <= SECONDS_MAX;
    if (at !== null && !isSeconds) return at;
    const hint = isSeconds ? "; this is a time in seconds: multiply it by 1000" : "";
    payload.issues.push({
      code: "custom",
      input: value,
      message: `must be a time in ISO 8601 or epoch milliseconds${hint}`,
    });
    return z.NEVER;
  }),
);

function isNumeric(value: string | number): boolean {
  return typeof value === "number" || /^[0-9]{1,15}$/.test(value);
}

function parseInstant(value: string | number): Millis | null {
  const at = isNumeric(value) ? Number(value) : parseIsoDate(String(value));
  return Number.isInteger(at) && at >= 0 && at <= INSTANT_MAX ? at : null;
}

function parseIsoDate(text: string): number {
  if (!z.safeParse(isoText, text).success) return Number.NaN;
  // Times before 1970 count as its start: nothing is older.
  return Math.max(0, Date.parse(hasZone(text) ? text : `${text}Z`));
}

/** Whether a date has no time, or a time with a zone. */
function hasZone(text: string): boolean {
  return !text.includes("T") || /(Z|[+-][0-9:]{2,6})$/.test(text);
}

/** A comma-separated list of `allowedValues`. Anything else is 400. */
export function commaSeparated<const W extends string>(allowedValues: readonly W[]) {
  const oneValue = `(${allowedValues.join("|").replaceAll(".", "\\.")})`;
  return z.pipe(
    z.string().check(
      z.meta({
        description: `One or more of ${allowedValues.join(", ")}, separated by commas.`,
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

/**
 * What `isPrintableLine` refuses, for the OpenAPI document. A pattern without the flag `u` has no other way to exclude the
 * format characters above U+FFFF than their first code units.
 */
const UNPRINTABLE_CLASS =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\ud804\\ud80d\\ud82f\\ud834\\udb40";
/** What `hasVisibleCharacter` does not count, beside those. */
const INVISIBLE_CLASS =
  " \\u00a0\\u034f\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200d\\u202f\\u205f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8";

const singleLineText = z.refine<string>(
  isPrintableLine,
  "must not contain control or format characters or line breaks",
);

/** A text that is shown as one line, in the order in which it is written. It may be empty. */
export const singleLine = [singleLineText, z.meta({ pattern: `^[^${UNPRINTABLE_CLASS}]*$` })] as const;

/** The same, with a visible character. */
export const visibleLine = [
  singleLineText,
  z.refine<string>(hasVisibleCharacter, "must contain a visible character"),
  z.meta({
    minLength: 1,
    pattern: `^[^${UNPRINTABLE_CLASS}]*[^${UNPRINTABLE_CLASS}${INVISIBLE_CLASS}][^${UNPRINTABLE_CLASS}]*$`,
  }),
] as const;

/** A text of at most `max` characters. An emoji counts as one, as in JSON Schema. */
export function charactersMax(max: number) {
  return [
    z.refine<string>((text) => hasCharactersAtMost(text, max), `must have at most ${max} characters`),
    z.meta({ maxLength: max }),
  ] as const;
}

/**
 * The name of a file. Anything else is 400. The patterns are those of most names, not of all: JSON Schema cannot count
 * bytes, and a character has at most four.
 */
export const fileName = z.string().check(
  z.refine((text) => cleanFilename(text) !== null, `must be the name of a file, of 1 to ${FILENAME_BYTES_MAX} bytes`),
  z.meta({
    description: `The name of the file, of at most ${FILENAME_BYTES_MAX} bytes.`,
    anyOf: [
      { type: "string", maxLength: FILENAME_BYTES_MAX, pattern: "^[ -.0-\\[\\]-~]*[!-\\-0-\\[\\]-~][ -.0-\\[\\]-~]*$" },
      {
        type: "string",
        maxLength: Math.floor(FILENAME_BYTES_MAX / 4),
        pattern: `^[^${UNPRINTABLE_CLASS}/\\\\]*[^${UNPRINTABLE_CLASS}${INVISIBLE_CLASS}./\\\\][^${UNPRINTABLE_CLASS}/\\\\]*$`,
      },
    ],
  }),
);

/** The content type of a file. Anything else is 400. */
export const contentType = z.string().check(
  z.refine((text) => normalizeContentType(text) !== null, "must be a media type such as image/png"),
  z.meta({
    description: "A media type. Parameters after a semicolon are ignored.",
    pattern: "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}(;.*)?$",
  }),
);
