import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

// The numbers of the contract, one home each.

export const RETENTION: Millis = 7 * DAY;
/** An hour more than anything of an erased conversation can still come in. */
export const ERASURE_MARKER_LIFE: Millis = RETENTION + HOUR;
export const REPLY_WINDOW: Millis = 24 * HOUR;
export const HUMAN_AGENT_WINDOW: Millis = 7 * DAY;

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 100;
export const REQUESTS_PER_KEY_AND_MINUTE = 600;
export const ENDPOINTS_PER_TENANT_MAX = 20;

export const REQUEST_BODY_BYTES_MAX = 256 * 1024;
export const INTAKE_BODY_BYTES_MAX = 5 * 1024 * 1024;
export const LAST_MESSAGE_TEXT_CHARS_MAX = 200;
export const INSTAGRAM_TEXT_BYTES_MAX = 1_000;
export const MESSENGER_TEXT_CHARS_MAX = 2_000;

/** One delivery attempt, from look-up to the last byte read. */
export const ATTEMPT_TIMEOUT: Millis = 15 * SECOND;
export const CONNECT_TIMEOUT: Millis = 5 * SECOND;
export const ANSWER_BYTES_MAX = 64 * 1024;
/** How long a claimed attempt may run before it counts as failed. */
export const ATTEMPT_LEASE: Millis = 60 * SECOND;

/** Waits between attempts: the first is made at once, so there is one attempt more than there are waits. */
export const RETRY_WAITS: readonly Millis[] = [
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
export const ATTEMPTS_MAX = RETRY_WAITS.length + 1;
export const RETRY_JITTER = 0.1;
export const RETRY_AFTER_MAX: Millis = 24 * HOUR;

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
