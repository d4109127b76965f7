const MINUTE_SECONDS = 60;

/** Why no link was requested. */
export interface RequestProblem {
  readonly problem: string;
  /** Whether the address is to be corrected. */
  readonly field: boolean;
}

/** Requests a sign-in link for an email address. @param redirect the page to which the link leads */
export async function requestLink(email: string, redirect: string): Promise<"sent" | RequestProblem> {
  const response = await fetch("/console/auth/request", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, redirect }),
  }).catch(() => null);
  if (response === null) return { problem: "No connection. Check it, then try again.", field: false };
  if (response.ok) return "sent";
  if (response.status === 400) {
    return { problem: "Enter a full email address.", field: true };
  }
  if (response.status === 429) return { problem: waitText(response.headers.get("retry-after")), field: false };
  return { problem: "Parley could not send a link. Try again in a minute.", field: false };
}

function waitText(retryAfter: string | null): string {
  const minutes = Math.max(1, Math.ceil(Number(retryAfter ?? MINUTE_SECONDS) / MINUTE_SECONDS));
  return `Too many links were requested. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}
