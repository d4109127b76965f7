/** The class of an error, for log lines; "unknown" when its name does not look like one. The message of an error is never logged: it may hold untrusted input. */
export function errorClass(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[\w$]{1,60}$/.test(name) ? name : "unknown";
}
