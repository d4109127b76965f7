import { HttpClient, ParleyError } from "#client";

const MINUTE_SECONDS = 60;

/** Why no link was requested. */
export interface RequestProblem {
  readonly problem: string;
  /** Whether the address is to be corrected. */
  readonly field: boolean;
}

/**
 * Requests a sign-in link for an email address.
 * @param redirect the page to which the link leads; null: the console
 * @param invite the id of the invite whose mail links to this page; null for none
 */
export async function requestLink(
  email: string,
  redirect: string | null,
  invite: string | null,
): Promise<"sent" | RequestProblem> {
  try {
    await new HttpClient().request("POST /console/auth/request", {
      body: { email, ...(redirect === null ? {} : { redirect }), ...(invite === null ? {} : { invite }) },
    });
    return "sent";
  } catch (error) {
    return toProblem(error);
  }
}

/** "No connection" also where a proxy or a Wi-Fi sign-in page answered in place of Parley. */
function toProblem(error: unknown): RequestProblem {
  const { status, retryAfter } = error instanceof ParleyError ? error : { status: null, retryAfter: null };
  if (status === null || status < 400) return { problem: "No connection. Check it, then try again.", field: false };
  if (status === 400) return { problem: "Enter a full email address.", field: true };
  if (status === 429) return { problem: waitText(retryAfter ?? MINUTE_SECONDS), field: false };
  return { problem: "Parley could not send a link. Try again in a minute.", field: false };
}

function waitText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / MINUTE_SECONDS));
  return `Too many links were requested. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}
