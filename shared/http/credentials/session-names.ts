/** The cookie with the session token. Scripts cannot read it. */
export const SESSION_COOKIE = "console_session";
/** The cookie with the CSRF token, for the script of the console to read. */
export const CSRF_COOKIE = "console_csrf";
/** The header in which the console repeats the CSRF token. */
export const CSRF_HEADER = "x-csrf-token";
