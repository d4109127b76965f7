// Milliseconds.

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** After a person's last message: how long any reply may be sent, and how long a message that a person typed. */
export const REPLY_WINDOW = 24 * HOUR;
export const PERSON_WINDOW = 7 * DAY;
/** How long a person waits for the retries of a call before words say what went wrong. */
export const RETRY_WAIT = 5_000;
/** How long messages are stored. */
export const RETENTION = 7 * DAY;
