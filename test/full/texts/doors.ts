import { FILENAME_BYTES_MAX } from "#base/kernel/limits.ts";
import { isPrintableLine } from "#base/kernel/text/printable.ts";
import { parseRetryAfter } from "#base/kernel/time.ts";
import { responseText } from "#base/net/responses.ts";
import { applyUrlRules } from "#base/net/url-rules.ts";
import { hasKeyForm } from "#features/access/authenticate.ts";
import { hasVisibleCharacter, isKeyLabel, isTenantName } from "#features/access/rules/display-texts.ts";
import { parseEmailAddress } from "#features/access/rules/email-addresses.ts";
import { networkKey } from "#features/access/rules/networks.ts";
import { parseRedirectPath } from "#features/access/rules/redirect-paths.ts";
import { sessionKid } from "#features/access/sessions.ts";
import { cleanFilename, fileExtension, normalizeContentType } from "#features/uploads/rules/media-types.ts";
import { startsAsProgram } from "#features/uploads/rules/programs.ts";
import { acceptsHtml } from "#http/browser/accepts-html.ts";
import { chooseCoding } from "#http/content-coding.ts";
import { readCookie } from "#http/credentials/cookies.ts";
import { instant } from "#http/fields.ts";
import { parseJson as parseBody, readIdempotencyKey, readParameters, validate } from "#http/request.ts";
import { refusalDetail } from "#platforms/graph/errors.ts";
import { parseJson, readDisplayName, readText, readUrl } from "#platforms/graph/json.ts";
import { verifyHandshake, verifySignature } from "#platforms/graph/webhooks/signature.ts";
import { parseSignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import { parseUpdates } from "#platforms/platforms.ts";

/** What reads a text from outside. */
export interface Parser {
  readonly name: string;
  /** What an ordinary text repeats. */
  readonly ordinary: string;
  /** What a hostile text repeats, besides the units of every parser. */
  readonly units?: readonly string[];
  /** What a text starts with to reach the parser's last part. */
  readonly starts?: readonly string[];
  readonly read: (text: string) => unknown;
}

/** All headers of a request, which the gateway limits, and its path and query. */
export const HEADERS_LENGTH = 10 * 1024;
export const BODY_LENGTH = 256 * 1024;
const WEBHOOK_LENGTH = 5 * 1024 * 1024;
export const ANSWER_LENGTH = 1024 * 1024;
/** The first bytes of a file that are checked. */
export const FILE_LENGTH = 4_100;

const COOKIES = "theme=dark; locale=en-US; ";
const PROSE = "This is an ordinary text, as people write it. ";
const urlRules = { mode: "public", ports: [443], ownHosts: ["api.example.com"] } as const;

export const headerDoors = [
  {
    name: "cookies",
    ordinary: COOKIES,
    starts: ["console_session=", "console_session=a", "console_session"],
    read: (text) => readCookie(text, "console_session"),
  },
  { name: "the key", ordinary: "Bearer svc_live_0a", read: hasKeyForm },
  { name: "the session token", ordinary: "eyJhbGciOiJIUzI1NiJ9.", units: ["a.a.", "eyJ"], read: sessionKid },
  { name: "the accepted codings", ordinary: "gzip, deflate, br;q=0.9, ", units: ["br;q=0,"], read: chooseCoding },
  { name: "the accepted types", ordinary: "text/plain;q=0.9, ", read: (text) => acceptsHtml(headers("accept", text)) },
  {
    name: "the idempotency key",
    ordinary: "0a-",
    read: (text) => readIdempotencyKey(headers("idempotency-key", text)),
  },
  {
    name: "the signature",
    ordinary: "sha256=0a",
    read: (text) => verifySignature(Buffer.from("{}"), text, ["secret"]),
  },
  { name: "the parameters", ordinary: "caf%C3%A9+au+lait+", units: ["a&b&"], read: readParameters },
  { name: "a time", ordinary: "2026-05-04T10:00:00.000", units: ["2026-05-04T10:00:00."], read: toInstant },
  { name: "the challenge", ordinary: "1158201444", read: (text) => handshake(text) },
  { name: "a wait", ordinary: "120", units: ["Mon, "], read: (text) => parseRetryAfter(text, 0) },
  { name: "an address", ordinary: "2001:db8:", units: ["::", "::ffff:", "0:"], read: networkKey },
] satisfies readonly Parser[];

export const bodyDoors = [
  { name: "an email address", ordinary: "ada.lind@example.com.", units: ["a@a.", "xn--"], read: parseEmailAddress },
  { name: "the name of a tenant", ordinary: PROSE, read: isTenantName },
  { name: "the label of a key", ordinary: PROSE, read: isKeyLabel },
  { name: "a line", ordinary: PROSE, read: isPrintableLine },
  { name: "a visible character", ordinary: "\u2003", read: hasVisibleCharacter },
  { name: "a file name", ordinary: "holiday-photo.", read: toExtension },
  { name: "a content type", ordinary: "image/png;a=b;", read: normalizeContentType },
  { name: "a path after the sign-in", ordinary: "/inbox?view=open&", read: parseRedirectPath },
  {
    name: "an endpoint's URL",
    ordinary: "https://hooks.example.com/a/",
    read: (text) => applyUrlRules(text, urlRules),
  },
  { name: "a signed request", ordinary: "eyJhbGciOiJI", read: (text) => parseSignedRequest(text, ["secret"]) },
] satisfies readonly Parser[];

export const platformDoors = [
  {
    name: "an error",
    ordinary: PROSE,
    read: (text) => refusalDetail({ message: text, error_user_msg: text }, ["EAAB-secret-1"]),
  },
  { name: "a name", ordinary: PROSE, read: (text) => readDisplayName(text, 200) },
  { name: "a text", ordinary: PROSE, read: (text) => readText(text, 2_000) },
  { name: "an address", ordinary: "https://cdn.example.com/a/", read: readUrl },
] satisfies readonly Parser[];

export const fileDoors = [
  {
    name: "the first bytes",
    ordinary: PROSE,
    units: ["<!doctype ", "#!", "<html"],
    read: (text) => startsAsProgram(Buffer.from(text, "latin1")),
  },
  {
    name: "a receiver's response",
    ordinary: PROSE,
    units: ["v1=", "whs_"],
    read: (text) => responseText(Buffer.from(text, "latin1").subarray(0, 256)),
  },
] satisfies readonly Parser[];

/** JSON that is read as a whole: its text is built of values. */
export interface JsonDoor {
  readonly name: string;
  readonly length: number;
  /** The text of a document around its values. */
  readonly around: readonly [before: string, after: string];
  readonly ordinary: string;
  readonly read: (text: string) => unknown;
}

const RECEIPT = '{"sender":{"id":"1"},"recipient":{"id":"2"},"read":{"watermark":1}}';

export const jsonDoors: readonly JsonDoor[] = [
  {
    name: "a body",
    length: BODY_LENGTH,
    around: ["[", "]"],
    ordinary: '{"id":1}',
    read: (text) => parseBody(Buffer.from(text)),
  },
  {
    name: "a platform's answer",
    length: ANSWER_LENGTH,
    around: ['{"data":[', "]}"],
    ordinary: '{"id":[1]}',
    read: parseJson,
  },
  {
    name: "a webhook",
    length: WEBHOOK_LENGTH,
    around: ['{"object":"page","entry":[{"id":"2","time":1793000000123,"messaging":[', "]}]}"],
    ordinary: RECEIPT,
    read: (text) => parseUpdates(Buffer.from(text), 0),
  },
];

function toExtension(text: string): unknown {
  return fileExtension(cleanFilename(text) ?? text.slice(0, FILENAME_BYTES_MAX));
}

function headers(name: string, text: string): Headers {
  return { get: (wanted: string) => (wanted === name ? text : null) } as Headers;
}

function toInstant(text: string): unknown {
  return validate(instant, text, "since");
}

function handshake(challenge: string): unknown {
  return verifyHandshake({ mode: "subscribe", token: challenge, challenge }, "secret");
}
