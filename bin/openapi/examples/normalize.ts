import type { Examples } from "./exchange.ts";

// Two recordings differ in ids, times, secrets and ports. Here each gets a fixed value of the same form: an id by its
// first appearance, a time by its distance to the start of the recording, a secret by its kind.

/** When the recording starts, in the examples. The stack's clock shows the same time of another day. */
const STARTED_AT = Date.parse("2026-03-02T10:00:00.000Z");
/** The recording takes less than half of it, besides the steps by which it advances the clock. */
const TIME_STEP = 10 * 60_000;

export interface RecordingContext {
  /** Texts of the recording, such as hosts, and what stands for them. */
  readonly texts: Readonly<Record<string, string>>;
  /** When the recording started, by the stack's clock. */
  readonly startedAt: number;
}

type Replace = (text: string) => string;

/** The examples with a fixed value for each that differs between recordings. */
export function normalizeExamples(examples: Examples, { texts, startedAt }: RecordingContext): Examples {
  const fixed = Object.entries(texts).map(
    ([text, replacement]): Replace =>
      (value) =>
        value.replaceAll(text, replacement).replaceAll(encodeURIComponent(text), encodeURIComponent(replacement)),
  );
  const replacements = [...fixed, ...secretReplacements, times(startedAt), ...idReplacements()];
  const normalize = (node: unknown, name = ""): unknown => {
    // Most hours of the statistics are before the recording, and each has a time of its own.
    if (name === "starts_at") return new Date(STARTED_AT + Date.parse(String(node)) - startedAt).toISOString();
    if (typeof node === "string") {
      return placeholders[name] ?? replacements.reduce((text, replace) => replace(text), node);
    }
    if (typeof node === "number") {
      return node > EPOCH_MILLIS_MIN ? fixedTime(node, startedAt) : (numberPlaceholders[name] ?? node);
    }
    if (Array.isArray(node)) {
      if (name === "solutions") return SOLUTIONS;
      return (name === "series" ? node.slice(-SHOWN_HOURS) : node).map((item) => normalize(item));
    }
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, normalize(value, key)]));
  };
  // The examples of the event types are the same in each recording.
  const operations = Object.entries(examples).map(([operation, recorded]) => [
    operation,
    operation === "listEventTypes" ? withoutKeys(recorded, fixed) : normalize(recorded),
  ]);
  return Object.fromEntries(operations);
}

function withoutKeys<T>(operation: T, fixed: readonly Replace[]): T {
  const replacements = [...fixed, ...secretReplacements];
  return JSON.parse(replacements.reduce((text, replace) => replace(text), JSON.stringify(operation)));
}

const EPOCH_MILLIS_MIN = 1_500_000_000_000;

/** Of the 25 hours of statistics. */
const SHOWN_HOURS = 2;

/** One of each puzzle. */
const SOLUTIONS = Array.from({ length: 50 }, (_, n) => (n + 1) * 613);

/** Fields whose values are different each time and say nothing. */
const placeholders: Readonly<Record<string, string>> = {
  "retry-after": "30",
  "x-csrf-token": "exampleCsrfTokenValue0",
  csrf_token: "exampleCsrfTokenValue0",
  next_cursor: "ZXhhbXBsZS1jdXJzb3I",
  // The stack connects its accounts when it starts, some hours before the recording.
  token_expires_at: "2026-05-01T10:00:00.000Z",
  confirmation_code: "0123456789abcdef0123456789abcdef",
  "x-hub-signature-256": `sha256=${"0123456789abcdef".repeat(4)}`,
  bucket: "uploads",
  Policy: "eyJleGFtcGxlIjp0cnVlfQ",
  "X-Amz-Credential": "EXAMPLE/20260302/us-east-1/s3/aws4_request",
  "X-Amz-Date": "20260302T100000Z",
  "X-Amz-Signature": "0123456789abcdef".repeat(4),
};
const numberPlaceholders: Readonly<Record<string, number>> = { last_duration_ms: 38, duration_ms: 38 };

const secretReplacements: readonly Replace[] = [
  replaceAll(/\bsvc_(live|test)_[0-9A-Za-z]{8,}/g, (_, scope) => `svc_${scope}_${"0".repeat(42)}example`),
  replaceAll(/\bsvc_(live|test)_[0-9A-Za-z]{4}(?!\w)/g, (_, scope) => `svc_${scope}_0000`),
  replaceAll(/\bwhs_[\w+/-]{40,}=*/g, () => "whs_ZXhhbXBsZSBzZWNyZXQgb2YgYSB3ZWJob29rISEhISE="),
  replaceAll(/\bwhs_[\w+/-]{8}(?![\w+/-])/g, () => "whs_ZXhhbXBs"),
  replaceAll(/\bwst_[\w-]{43}(?![\w-])/g, () => `wst_${"0".repeat(36)}example`),
  // The tag of a file.
  replaceAll(/^(W\/)?"[\w-]{8,}"$/g, (_, weak = "") => `${weak}"0123456789abcdef"`),
  // Sealed tokens: sessions, challenges, signed requests.
  replaceAll(/(?<![\w-])eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}/g, () => "eyJleGFtcGxlIjoxfQ.eyJleGFtcGxlIjoxfQ.ZXhhbXBsZQ"),
  replaceAll(/(?<![\w-])eyJ[\w-]+\.[\w-]{43}/g, () => "eyJleGFtcGxlIjoxfQ.ZXhhbXBsZQ"),
  replaceAll(/signed_request=[\w-]{43}\./g, () => "signed_request=ZXhhbXBsZQ."),
  replaceAll(/\b(console_csrf|parley_login_)([0-9a-f]{8})?=[\w-]+/g, (_, name, id) => {
    return `${name}${id ? "01234567" : ""}=exampleCsrfTokenValue0`;
  }),
  replaceAll(/\bparley_login_[0-9a-f]{8}=;/g, () => "parley_login_01234567=;"),
  replaceAll(/([?&](?:code|state|token|hub\.verify_token)=)[\w-]{22,}/g, (_, parameter) => `${parameter}example`),
  replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, () => "exampleSecretOfForty-threeCharactersInBase64"),
  replaceAll(/(?<!\w)[0-9a-f]{32}(?!\w)/g, () => "0123456789abcdef0123456789abcdef"),
  replaceAll(/\?(oe|ext)=[0-9A-Fa-f]{8,10}/g, (_, name) => `?${name}=69A59B20`),
];

/** Times as in ISO 8601, days, and hours in the keys of files. */
function times(startedAt: number): Replace {
  const toIso = (time: string) => new Date(fixedTime(Date.parse(time), startedAt)).toISOString();
  return (text) =>
    text
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, (time, millis) =>
        millis === undefined ? toIso(time).replace(".000", "") : toIso(time),
      )
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d(?=\/)/g, (hour) => toIso(`${hour}:00:00Z`).slice(0, hour.length));
}

/** A time before the recording is its start: how long the stack has run differs. */
function fixedTime(time: number, startedAt: number): number {
  return STARTED_AT + Math.max(0, Math.round((time - startedAt) / TIME_STEP)) * TIME_STEP;
}

/** Ids: ULIDs, those of messages on both platforms, and the platforms' ids of people and attachments. */
function idReplacements(): Replace[] {
  return [
    numbered(/(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])/g, (n) => `01KJQ3ZQ00${padded(n, 16)}`),
    numbered(/\bm_[\w-]{60,}/g, (n) => `m_example${padded(n, 6)}`),
    numbered(/\baWdfZAG1[\w-]{40,}/g, (n) => `aWdfZAG1example${padded(n, 6)}`),
    numbered(/(?<=%23|(?<![\d%]))(?!178414|1015)\d{17}(?!\d)/g, (n) => `90${padded(n, 15)}`),
  ];
}

function padded(n: number, length: number): string {
  return String(n).padStart(length, "0");
}

/** Replaces each different match by a text with its number, from 1. */
function numbered(pattern: RegExp, toText: (n: number) => string): Replace {
  const numbers = new Map<string, number>();
  return (text) =>
    text.replaceAll(pattern, (match) => {
      const n = numbers.get(match) ?? numbers.size + 1;
      numbers.set(match, n);
      return toText(n);
    });
}

function replaceAll(pattern: RegExp, toText: (...groups: string[]) => string): Replace {
  return (text) => text.replaceAll(pattern, (...groups) => toText(...groups));
}
