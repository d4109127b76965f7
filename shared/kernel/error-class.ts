/** The class of an error, which is all that a log line may say of it: a message may hold what a stranger sent. */
export function errorClass(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[\w$]{1,60}$/.test(name) ? name : "unknown";
}
