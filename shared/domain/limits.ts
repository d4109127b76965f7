import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

// The numbers of the contract, one home each.

export const RETENTION: Millis = 7 * DAY;
export const AUDIT_RETENTION: Millis = 400 * DAY;
/** Statistics look back over the hour that runs and this much before it. */
export const STATS_WINDOW: Millis = 24 * HOUR;
/** An hour more than anything of an erased conversation can still come in. */
export const ERASURE_MARKER_TTL: Millis = RETENTION + HOUR;
export const REPLY_WINDOW: Millis = 24 * HOUR;
export const HUMAN_AGENT_WINDOW: Millis = 7 * DAY;

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 100;
export const REQUESTS_PER_KEY_PER_MINUTE = 600;
export const ENDPOINTS_PER_TENANT_MAX = 20;
/** Host names of endpoints that are looked up as they are made or changed. */
export const DNS_LOOKUPS_PER_TENANT_PER_MINUTE = 10;

export const REQUEST_BODY_BYTES_MAX = 256 * 1024;
export const INTAKE_BODY_BYTES_MAX = 5 * 1024 * 1024;
export const LAST_MESSAGE_TEXT_CHARS_MAX = 200;
export const INSTAGRAM_TEXT_BYTES_MAX = 1_000;
export const MESSENGER_TEXT_CHARS_MAX = 2_000;
export const IMAGES_PER_MESSAGE_MAX = 10;
export const ATTACHMENT_URL_CHARS_MAX = 2_048;
export const ATTACHMENT_ID_CHARS_MAX = 256;
/** In UTF-8 less than an index takes as a key, whatever the characters. */
export const MESSAGE_ID_CHARS_MAX = 512;
export const ACTOR_ID_CHARS_MAX = 128;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** How long the first answer to a key stands. */
export const IDEMPOTENCY_TTL: Millis = 24 * HOUR;

/** Sends in fixed windows: so many in each. A human agent's count in all of them, and in a window of their own. */
export const CONVERSATION_BURST = { sends: 10, window: 10 * SECOND } as const;
export const CONVERSATION_DAY = { sends: 200, window: DAY } as const;
export const ACCOUNT_BURST = { sends: 100, window: 10 * SECOND } as const;
export const HUMAN_AGENT_DAY = { sends: 20, window: DAY } as const;

/** How long a held message waits for its check, never past the end of the human-agent window. */
export const HOLD_LIFETIME: Millis = 15 * MINUTE;
/** How long after it was made a hold can be asked about. */
export const HOLD_READABLE: Millis = 30 * MINUTE;
/** How long a hold may be sending before its outcome counts as unknown. */
export const HOLD_SENDING_MAX: Millis = 60 * SECOND;

/** After this long a person's profile is asked for anew when they write: the picture's URL dies. */
export const PROFILE_MAX_AGE: Millis = 24 * HOUR;
/** How long a picture's URL is trusted that does not say itself when it ends. */
export const PICTURE_TTL: Millis = 3 * DAY;
/** A longer one would make every message of its conversation cost more: a head must stay under a kilobyte. */
export const PICTURE_URL_CHARS_MAX = 600;

/** Tries of the check page in fixed windows: failures of a source address, challenges and failures of one hold. */
export const VERIFICATION_WINDOW: Millis = 5 * MINUTE;
export const VERIFICATION_FAILURES_PER_ADDRESS_MAX = 30;
export const VERIFICATION_ATTEMPTS_PER_HOLD_MAX = 10;
export const VERIFICATION_BODY_BYTES_MAX = 16 * 1024;
/** How long an answer of the check page waits for the platform. */
export const VERIFICATION_SEND_WAIT_MAX: Millis = 10 * SECOND;

/** One delivery attempt, from look-up to the last byte read. */
export const ATTEMPT_TIMEOUT: Millis = 15 * SECOND;
export const CONNECT_TIMEOUT: Millis = 5 * SECOND;
export const RESPONSE_BYTES_MAX = 64 * 1024;
/** How long a claimed attempt may run before it counts as failed. */
export const ATTEMPT_LEASE: Millis = 60 * SECOND;

/** Waits between attempts: the first is made at once, so there is one attempt more than there are waits. */
export const RETRY_DELAYS: readonly Millis[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const ATTEMPTS_MAX = RETRY_DELAYS.length + 1;
export const RETRY_JITTER = 0.1;
export const RETRY_AFTER_MAX: Millis = 24 * HOUR;

/** After so many failed attempts in a row an endpoint is left alone, and probed: first after a minute, then half as often each time. */
export const FAILURES_TO_OPEN = 10;
export const PROBE_WAIT_FIRST: Millis = MINUTE;
export const PROBE_WAIT_MAX: Millis = 30 * MINUTE;
/** A probe that is this late is not waited for any more. */
export const PROBE_OVERDUE: Millis = 2 * MINUTE;
/** An endpoint whose every attempt failed for so long, and at least so many, is paused; after half of both its owners are warned. */
export const AUTO_PAUSE_AFTER: Millis = 5 * DAY;
export const AUTO_PAUSE_ATTEMPTS_MIN = 20;
/** Deliveries that waited are handed out in pages, the first one small, each twice the one before. */
export const DRAIN_PAGE_FIRST = 50;
export const DRAIN_PAGE_MAX = 800;
export const DRAIN_PAGE_DELAY: Millis = 5 * SECOND;
/** Longer than any worker runs that saw an endpoint left alone: what it wrote after the drain had passed is found then. */
export const DRAIN_REPEAT_DELAY: Millis = 2 * MINUTE;
/** Rows of an endpoint that one step looks at, whatever became of them. */
export const WALK_EXAMINED_MAX = 5_000;
/** An attempt that took longer marks its endpoint as slow, for so long. */
export const SLOW_ATTEMPT_THRESHOLD: Millis = 3 * SECOND;
export const SLOW_DURATION: Millis = 5 * MINUTE;
/** Later attempts of a slow endpoint that are made at once, by all processes together. */
export const SLOW_IN_FLIGHT_MAX = 20;
/** How long one waits that found them all taken; twice as long each time, up to the second. */
export const SLOW_BACKOFF_FIRST: Millis = 5 * SECOND;
export const SLOW_BACKOFF_MAX: Millis = 2 * MINUTE;

/** How long the secret before a rotation still signs. */
export const SECRET_OVERLAP: Millis = 24 * HOUR;
/** Rows that a summary of failures looks at. */
export const SUMMARY_EXAMINED_MAX = 1_000;

/** The longest wait a queue can hold; longer ones rest in a due bucket of the table. */
export const QUEUE_DELAY_MAX: Millis = 15 * MINUTE;

/** How long a challenge of the check page may be answered; never past the end of its hold. */
export const CHALLENGE_LIFETIME: Millis = 10 * MINUTE;
/** Puzzles in one challenge, and hex characters of each salt. */
export const CHALLENGE_PUZZLES = 50;
export const CHALLENGE_SALT_CHARS = 32;
/** Hex characters that a solution's hash must begin with: each one more costs sixteen times the work. */
export const CHALLENGE_TARGET_CHARS = { live: 4, test: 3 } as const;
/** What the verifier works through at most, whatever a token says. */
export const CHALLENGE_PUZZLES_MAX = 300;
export const CHALLENGE_SALT_CHARS_MAX = 64;
export const CHALLENGE_TARGET_CHARS_MAX = 5;
