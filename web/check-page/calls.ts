import { type Fields, fields, text } from "../common/fields.ts";

// The three API calls of the page. Responses are validated, because a proxy or a Wi-Fi sign-in page may answer instead.
// The other pages use the client. This one sends no cookie, reads the server's time and the hold of a refusal, which
// the client does not return, and is often opened on a phone: its script of 16 KB would grow by 6 KB.

/** The state of a held message. */
export interface HoldState {
  readonly status: string;
  readonly platform: string;
  /** A test message reaches no one. */
  readonly test: boolean;
  /** Why it failed. */
  readonly error: Problem | null;
}

/** A held message as the check page shows it. Names are empty when they are not known. */
export interface Hold extends HoldState {
  readonly expiresAt: number;
  readonly displayName: string;
  readonly username: string;
  /** The account that sends. */
  readonly accountHandle: string;
  /** Who typed the message: a name, or an actor id without one. */
  readonly author: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface Attachment {
  readonly type: string;
  /** An https URL; null for an uploaded file. */
  readonly url: string | null;
}

export interface Problem {
  /** Empty when the response does not come from the service. */
  readonly code: string;
  readonly detail: string;
}

export interface Challenge {
  readonly count: number;
  readonly saltChars: number;
  readonly targetChars: number;
  readonly token: string;
}

export type CallResult<T> =
  | { readonly kind: "ok"; readonly data: T; readonly serverTime: number | null }
  | Refused
  | { readonly kind: "unreachable" };

export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly problem: Problem;
  readonly retryAfter: number | null;
  /** The hold, if its state is the reason. */
  readonly hold: HoldState | null;
}

export interface Link {
  readonly holdId: string;
  readonly secret: string;
}

/** Milliseconds. The server itself answers within 30 seconds. */
const CALL_TIMEOUT = 31_000;

export function fetchHold(link: Link): Promise<CallResult<Hold>> {
  return call(link, "", {}, parseHold);
}

export function fetchChallenge(link: Link): Promise<CallResult<Challenge>> {
  return call(link, "/challenge", {}, parseChallenge);
}

export function completeHold(link: Link, token: string, solutions: readonly number[]): Promise<CallResult<Hold>> {
  return call(link, "/complete", { token, solutions }, parseHold);
}

async function call<T>(
  { holdId, secret }: Link,
  path: string,
  body: object,
  parse: (data: Fields) => T | null,
): Promise<CallResult<T>> {
  try {
    const response = await fetch(`/verify/holds/${holdId}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret, ...body }),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(CALL_TIMEOUT),
    });
    const envelope = fields(await response.json().catch(() => null));
    if (!response.ok) return toRefusal(response, fields(envelope.error));
    const data = parse(fields(envelope.data));
    if (data === null) return { kind: "unreachable" };
    return { kind: "ok", data, serverTime: timeOrNull(response.headers.get("date")) };
  } catch {
    return { kind: "unreachable" };
  }
}

function toRefusal(response: Response, error: Fields): Refused {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    kind: "refused",
    status: response.status,
    problem: toProblem(error),
    retryAfter: Number.isFinite(seconds) && seconds >= 0 ? seconds : null,
    hold: error.hold ? toHoldState(fields(error.hold)) : null,
  };
}

function parseHold(data: Fields): Hold | null {
  const hold = fields(data.hold);
  const expiresAt = timeOrNull(text(hold.expires_at));
  if (expiresAt === null || text(hold.status) === "") return null;
  return {
    ...toHoldState(hold),
    expiresAt,
    displayName: text(hold.display_name),
    username: text(hold.participant_username),
    accountHandle: text(hold.account_handle),
    author: text(hold.actor_name) || text(hold.actor_id),
    text: text(hold.text),
    attachments: Array.isArray(hold.attachment_list) ? hold.attachment_list.map(toAttachment) : [],
  };
}

export function toHoldState(hold: Fields): HoldState {
  return {
    status: text(hold.status),
    platform: text(hold.platform),
    test: hold.test === true,
    error: hold.error ? toProblem(fields(hold.error)) : null,
  };
}

function toAttachment(value: unknown): Attachment {
  const { type, url } = fields(value);
  return { type: text(type), url: /^https:\/\//i.test(text(url)) && URL.canParse(text(url)) ? text(url) : null };
}

function parseChallenge(data: Fields): Challenge | null {
  const terms = fields(data.challenge);
  const challenge = {
    count: number(terms.c),
    saltChars: number(terms.s),
    targetChars: number(terms.d),
    token: text(data.token),
  };
  // Larger terms do not come from the service and would keep the device busy for hours.
  const withinLimits = challenge.count <= 300 && challenge.saltChars <= 64 && challenge.targetChars <= 5;
  return withinLimits && challenge.count > 0 && challenge.targetChars > 0 && challenge.token !== "" ? challenge : null;
}

function toProblem(error: Fields): Problem {
  return { code: text(error.code), detail: text(error.detail) };
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function timeOrNull(value: string | null): number | null {
  const time = Date.parse(value ?? "");
  return Number.isNaN(time) ? null : time;
}
