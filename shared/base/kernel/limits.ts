import { DAY, HOUR, MINUTE, type Millis, SECOND } from "./time.ts";

// Every number of the contract is defined here once, except for those that operators may set: `config/operator-limits.ts`.

export const RETENTION: Millis = 7 * DAY;
export const AUDIT_RETENTION: Millis = 400 * DAY;
/** How long the status of a data deletion can be read. */
export const DATA_DELETION_RETENTION: Millis = 400 * DAY;
/** How old a platform's request about a person may be. */
export const SIGNED_REQUEST_AGE_MAX: Millis = 7 * DAY;
/** How far the clock of a platform may be ahead when it issues such a request. */
export const SIGNED_REQUEST_AHEAD_MAX: Millis = 5 * MINUTE;
/** How long nothing may have worked on a data deletion until a sweep continues it. */
export const DATA_DELETION_OVERDUE: Millis = 30 * MINUTE;
/** Statistics cover the current hour and this much before it. */
export const STATS_WINDOW: Millis = 24 * HOUR;
/** One hour longer than late data of an erased conversation can arrive. */
export const ERASURE_MARKER_TTL: Millis = RETENTION + HOUR;
export const REPLY_WINDOW: Millis = 24 * HOUR;
export const HUMAN_AGENT_WINDOW: Millis = 7 * DAY;

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 100;
/** Of a key, or of a person in all their tenants. */
export const REQUESTS_PER_CALLER_PER_MINUTE = 600;
export const SESSION_LIFETIME: Millis = 12 * HOUR;
/** Creating a key takes two items of a transaction, and two for each of its tenants. A transaction has at most 100. */
export const OPERATOR_KEY_TENANTS_MAX = 49;
/** Active keys of one tenant. An operator key does not count. */
export const KEYS_PER_TENANT_MAX = 50;
export const KEY_LABEL_CHARS_MAX = 100;
/** How long no other tenant can have the slug of a deleted tenant. */
export const DELETED_SLUG_RETENTION: Millis = 30 * DAY;
/** How long a revoked key is listed. */
export const REVOKED_KEY_RETENTION: Millis = 90 * DAY;
/** How precise the time of a key's last use is. */
export const KEY_USE_INTERVAL: Millis = HOUR;
/** Sign-in links per fixed window: of one email address and of one source network. */
export const SIGN_IN_CAPS = { address: 5, source: 20 } as const;
export const SIGN_IN_WINDOW: Millis = 15 * MINUTE;
/** How long a sign-in link can be opened. */
export const SIGN_IN_LINK_LIFETIME: Millis = 15 * MINUTE;
/** How long a login of a platform may take, and how long a person may then choose among its pages. */
export const PLATFORM_LOGIN_LIFETIME: Millis = 10 * MINUTE;
export const PAGE_CHOICE_LIFETIME: Millis = 10 * MINUTE;
/** How long a ticket opens a socket. */
export const REALTIME_TICKET_LIFETIME: Millis = MINUTE;
/** The gateway ends every connection then. */
export const SOCKET_LIFETIME: Millis = 2 * HOUR;
export const SOCKETS_PER_TENANT_MAX = 1_000;
/** Frames of one socket in a minute, and bytes of one frame. */
export const SOCKET_FRAMES_PER_MINUTE = 60;
export const SOCKET_FRAME_BYTES_MAX = 4 * 1024;
/** The gateway's limit for one message in either direction. */
export const GATEWAY_MESSAGE_BYTES_MAX = 128 * 1024;
export const TENANT_NAME_CHARS_MAX = 80;
export const PERSON_NAME_CHARS_MAX = 80;
export const INVITE_LIFE: Millis = 7 * DAY;
/** How many invites one sign-in accepts, within the time of its request. */
export const INVITES_PER_SIGN_IN_MAX = 20;
/** How long an invite is listed after it was accepted, was revoked or expired. */
export const INVITE_RETENTION: Millis = 90 * DAY;
/** How long no other tenant can connect an account that was disconnected: workers remember its tenant for a minute. */
export const ACCOUNT_RELEASE_WAIT: Millis = 2 * MINUTE;
/** How long a login that connected an account is stored after the account was disconnected. */
export const AUTHORIZATION_RETENTION: Millis = RETENTION + DAY;
export const ENDPOINTS_PER_TENANT_MAX = 20;
/** DNS lookups of endpoint hosts when endpoints are created or updated. */
export const DNS_LOOKUPS_PER_TENANT_PER_MINUTE = 10;

export const REQUEST_BODY_BYTES_MAX = 256 * 1024;
export const INTAKE_BODY_BYTES_MAX = 5 * 1024 * 1024;
/**
 * Compressed bytes of a webhook up to this size go on the queue; a larger one is stored as a file. The message with them
 * has at most three quarters of the queue's limit, and fits into a dead letter.
 */
export const INLINE_WEBHOOK_BYTES_MAX = 200_000;
/**
 * Compressed raw copies up to this size are a row of the table; larger ones are a file. At the list prices, as many write
 * units cost what a request to store a file does.
 */
export const RAW_COPY_ROW_BYTES_MAX = 8_000;
/** Updates that one message of the inbound queue ingests. A webhook with more is queued again in parts. */
export const PART_UPDATES_MAX = 50;
export const LAST_MESSAGE_TEXT_CHARS_MAX = 200;
export const INSTAGRAM_TEXT_BYTES_MAX = 1_000;
export const MESSENGER_TEXT_CHARS_MAX = 2_000;
export const IMAGES_PER_MESSAGE_MAX = 10;
export const ATTACHMENT_URL_CHARS_MAX = 2_048;
export const ATTACHMENT_ID_CHARS_MAX = 256;
/** In UTF-8 always shorter than the maximum length of an index key. */
export const MESSAGE_ID_CHARS_MAX = 512;
export const ACTOR_ID_CHARS_MAX = 128;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** How long a repeated key returns the first result. */
export const IDEMPOTENCY_TTL: Millis = 24 * HOUR;

/** Sends per fixed window. Human agent sends count in all of these windows. */
export const CONVERSATION_BURST = { sends: 10, window: 10 * SECOND } as const;
export const CONVERSATION_DAY = { sends: 200, window: DAY } as const;
export const ACCOUNT_BURST = { sends: 100, window: 10 * SECOND } as const;
export const HUMAN_AGENT_DAY = { sends: 20, window: DAY } as const;

/** An account that a refused send restricted is tried again after this long, doubled with each refused try. */
export const RESTRICTION_RETRY_FIRST: Millis = HOUR;
export const RESTRICTION_RETRY_MAX: Millis = DAY;

/** When the token of an Instagram Login account is refreshed: at this age, or with this much of its life left. */
export const TOKEN_REFRESH_AGE: Millis = 30 * DAY;
export const TOKEN_REFRESH_REMAINING: Millis = 20 * DAY;
/** A refresh that fails again this long after its first failure is reported, for any reason. */
export const TOKEN_REFRESH_FAILING_AFTER: Millis = 2 * DAY;
/** The platform refreshes no younger token. */
export const TOKEN_REFRESH_AGE_MIN: Millis = DAY;
/** How long before the end of the platform's data access an account says so. */
export const DATA_ACCESS_NOTICE: Millis = 14 * DAY;
/** How long after a check made an account active the next check does not do so again. */
export const RECOVERY_INTERVAL: Millis = DAY;
/** How long one process alone may mail the owners about an account. Longer than a worker runs. */
export const MAIL_CLAIM_TIME: Millis = 2 * MINUTE;

/** How long a held message waits for its check. It never waits past the end of the human agent window. */
export const HOLD_LIFETIME: Millis = 15 * MINUTE;
/** How long a hold can be read after its creation. */
export const HOLD_READABLE: Millis = 30 * MINUTE;
/** How long a hold may stay in `sending` before its outcome counts as unknown. */
export const HOLD_SENDING_MAX: Millis = 60 * SECOND;

/** The largest files of an upload, in bytes: an image, and a file of any other type. */
export const IMAGE_BYTES_MAX = 8 * 2 ** 20;
export const MEDIA_BYTES_MAX = 25 * 2 ** 20;
export const FILENAME_BYTES_MAX = 255;
export const CONTENT_TYPE_CHARS_MAX = 127;
/** The start of a file, which decides what it is. */
export const UPLOAD_HEAD_BYTES = 4_100;
/** How long the grant of an upload allows to post its file. */
export const UPLOAD_GRANT_LIFETIME: Millis = 15 * MINUTE;
/** How long an upload can be finished, and when its files are deleted at the latest, from the start of its hour. */
export const UPLOAD_FINISHABLE: Millis = 22 * HOUR;
export const UPLOAD_STORED_MAX: Millis = 23 * HOUR;
/** How long an upload can be read after its creation. */
export const UPLOAD_READABLE: Millis = DAY;
/** How long an upload may stay in `processing` before it counts as failed. */
export const UPLOAD_PROCESSING_MAX: Millis = 5 * MINUTE;
/** How long a platform stores an attachment. */
export const ATTACHMENT_LIFETIME: Millis = 90 * DAY;

/** The event of a person's first message waits this long for their profile, which names them in it. */
export const FIRST_EVENT_WAIT: Millis = 2 * SECOND;
/** An older profile is fetched again when the person writes, because picture URLs expire. */
export const PROFILE_MAX_AGE: Millis = 24 * HOUR;
/** How long a picture URL without an expiry of its own is used. */
export const PICTURE_TTL: Millis = 3 * DAY;
/** A conversation head must stay below 1 KB. A longer URL would make every message of the conversation cost more. */
export const PICTURE_URL_CHARS_MAX = 600;

/** Attempts at the check page per fixed window: failures of a source address, challenges and failures of a hold. */
export const CHECK_WINDOW: Millis = 5 * MINUTE;
export const CHECK_FAILURES_PER_ADDRESS_MAX = 30;
export const CHECK_ATTEMPTS_PER_HOLD_MAX = 10;
export const CHECK_BODY_BYTES_MAX = 16 * 1024;

/** One call to a platform, or the calls of one send, until the last byte of the response. */
export const PLATFORM_TIMEOUT: Millis = 10 * SECOND;
/** The same of a send that names a URL: the platform fetches the file before it answers. */
export const PLATFORM_FETCH_TIMEOUT: Millis = 25 * SECOND;
/** The same of an upload of a video, which the platform may fetch for this long. Other uploads have `PLATFORM_TIMEOUT`. */
export const PLATFORM_VIDEO_TIMEOUT: Millis = 75 * SECOND;

/** One delivery attempt, from the DNS lookup to the last byte read. */
export const ATTEMPT_TIMEOUT: Millis = 15 * SECOND;
export const CONNECT_TIMEOUT: Millis = 5 * SECOND;
/** The body of a webhook's response. */
export const RESPONSE_BYTES_MAX = 64 * 1024;
/** What a delivery stores of the body of its last response. */
export const RESPONSE_TEXT_BYTES_MAX = 256;
/** All that one attempt reads from its socket: TLS, status line, headers, chunk framing, interim responses and body. */
export const ATTEMPT_READ_BYTES_MAX = 256 * 1024;
/** How long a claimed attempt may run before it counts as failed. */
export const ATTEMPT_LEASE: Millis = 60 * SECOND;

/** The delays between attempts. The first attempt is immediate, so there is one more attempt than delays. */
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
/** The last attempts that a delivery shows. Probes and replays are attempts, too. */
export const ATTEMPTS_SHOWN_MAX = 10;
export const RETRY_JITTER = 0.1;
export const RETRY_AFTER_MAX: Millis = 24 * HOUR;

/** The circuit of an endpoint opens after this many consecutive failures. Probes follow after 1, 2, 4, … minutes. */
export const FAILURES_TO_OPEN = 10;
export const PROBE_WAIT_FIRST: Millis = MINUTE;
export const PROBE_WAIT_MAX: Millis = 30 * MINUTE;
/** A probe that is this late counts as lost. */
export const PROBE_OVERDUE: Millis = 2 * MINUTE;
/** An endpoint is paused after this long and this many attempts without a success. Owners are warned at half of both. */
export const AUTO_PAUSE_AFTER: Millis = 5 * DAY;
export const AUTO_PAUSE_ATTEMPTS_MIN = 20;
/** Waiting deliveries are drained in pages. The first page is small, and each next page has twice the size. */
export const DRAIN_PAGE_FIRST = 50;
export const DRAIN_PAGE_MAX = 800;
export const DRAIN_PAGE_DELAY: Millis = 5 * SECOND;
/** Longer than any worker runs. The second drain finds what a worker wrote after the first one had passed. */
export const DRAIN_REPEAT_DELAY: Millis = 2 * MINUTE;
/** An attempt that is this late is looked for once a day and scheduled again; of a slow endpoint, one that is a day late. */
export const OVERDUE_AFTER: Millis = HOUR;
export const OVERDUE_AFTER_SLOW: Millis = DAY;
/** Rows of an endpoint that one task reads. */
export const WALK_EXAMINED_MAX = 5_000;
/**
 * An attempt in a batch with others is aborted this long after its request without an answer. It moves to the slow deliveries
 * queue, where it is made again with `ATTEMPT_TIMEOUT`. Every attempt that takes longer marks its endpoint as slow.
 */
export const MOVE_TO_SLOW_AFTER: Millis = 1_500;
/** How long an endpoint is slow after an attempt without an answer. */
export const SLOW_DURATION: Millis = 5 * MINUTE;
/**
 * How long it is slow after a late answer. It sees the event of each attempt that moves to the slow queue twice. A
 * receiver that is always late should not see that with every event.
 */
export const LATE_ANSWER_DURATION: Millis = HOUR;
/** Concurrent attempts of a slow endpoint, across all processes. */
export const SLOW_IN_FLIGHT_MAX = 20;
/** The delay of a retry that finds no free slot. It doubles each time, up to `SLOW_BACKOFF_MAX`. */
export const SLOW_BACKOFF_FIRST: Millis = 5 * SECOND;
export const SLOW_BACKOFF_MAX: Millis = 2 * MINUTE;

/** How long the previous secret still signs after a rotation. */
export const SECRET_OVERLAP: Millis = 24 * HOUR;
/** Rows that a failure summary reads. */
export const SUMMARY_EXAMINED_MAX = 1_000;

/** The longest delay that SQS supports. Longer delays wait in a due bucket of the table. */
export const QUEUE_DELAY_MAX: Millis = 15 * MINUTE;

/** How long a challenge of the check page can be completed. It never outlives its hold. */
export const CHALLENGE_LIFETIME: Millis = 10 * MINUTE;
/** The number of puzzles in a challenge, and the hex characters of each salt. */
export const CHALLENGE_PUZZLES = 50;
export const CHALLENGE_SALT_CHARS = 32;
/** Hex characters that the hash of a solution must start with. Each one multiplies the work by 16. */
export const CHALLENGE_TARGET_CHARS = { live: 4, test: 3 } as const;
/** The most that the server verifies, regardless of the token. */
export const CHALLENGE_PUZZLES_MAX = 300;
export const CHALLENGE_SALT_CHARS_MAX = 64;
export const CHALLENGE_TARGET_CHARS_MAX = 5;
