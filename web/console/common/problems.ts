import { ParleyError } from "#client";

/** What went wrong, and what the person can do. Both are whole sentences. */
export interface Problem {
  readonly text: string;
  readonly wayOn: string;
}

const AGAIN = "Try again in a minute.";

const byCode: Readonly<Record<string, Problem>> = {
  connection_failed: { text: "Parley could not be reached.", wayOn: "Check your network, then try again." },
  timeout: { text: "Parley did not answer in time.", wayOn: AGAIN },
  unexpected_response: {
    text: "Something between you and Parley answered instead of it.",
    wayOn: "Open any web page to sign in to the Wi-Fi, then try again.",
  },
  csrf_failed: { text: "Your session has changed.", wayOn: "Reload the page, then try again." },
  rate_limited: { text: "Too many requests were made.", wayOn: "Wait a minute, then try again." },
  payload_too_large: { text: "This is too long.", wayOn: "Shorten it, then try again." },
  conversation_not_found: { text: "This conversation does not exist any more.", wayOn: "Choose another one." },
  idempotency_conflict: {
    text: "This message was sent with another text before.",
    wayOn: "Edit it, then send it as a new message.",
  },
};

const byStatus: Readonly<Record<number, Problem>> = {
  401: { text: "You are signed out.", wayOn: "Sign in again." },
  403: { text: "Your role does not allow this.", wayOn: "Ask an admin or an owner of the workspace." },
  404: { text: "This does not exist any more.", wayOn: "Reload the page." },
  409: { text: "This has changed in the meantime.", wayOn: "Look at it again, then repeat it." },
  413: { text: "This is too large.", wayOn: "Make it smaller, then try again." },
  429: { text: "Too many requests were made.", wayOn: "Wait a minute, then try again." },
};

/** Network Authentication Required. */
const SIGN_IN_TO_NETWORK = 511;

const failed: Problem = { text: "Parley did not answer as expected.", wayOn: AGAIN };

/** The words for an error of a call. The texts of the service and of the platforms are not among them. */
export function problemText(error: unknown): Problem {
  if (!(error instanceof ParleyError)) return failed;
  const status = error.status ?? 0;
  // A page with the status of an error is one of the service's own machines, or says itself that a sign-in is missing.
  const isOtherPage = error.code === "unexpected_response" && status >= 400 && status !== SIGN_IN_TO_NETWORK;
  const ofCode = Object.hasOwn(byCode, error.code) && !isOtherPage ? byCode[error.code] : undefined;
  return ofCode ?? byStatus[status] ?? failed;
}

/** The same in one line. */
export function problemLine(error: unknown): string {
  const { text, wayOn } = problemText(error);
  return `${text} ${wayOn}`;
}

/** Whether a call was refused because the session has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 401;
}

/** Whether a call was refused because of the person's role or the workspace's state. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 403 && error.code !== "csrf_failed";
}
