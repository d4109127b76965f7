import { isolated } from "../common/names.ts";
import type { Hold, HoldState, Problem } from "./calls.ts";

// The texts of every state after the question. The page never claims that it has verified a human: it has not.

export type Mark = "sent" | "failed" | "waiting" | "unclear";

/** What the page shows in place of the question: a heading, paragraphs and the label of an optional button. */
export interface Notice {
  readonly mark: Mark;
  readonly title: string;
  readonly body: readonly string[];
  /** The platform's own words, which are shown after ours. */
  readonly quote?: Quote;
  readonly buttonLabel?: string;
}

export interface Quote {
  readonly source: string;
  readonly text: string;
}

const NOTHING_SENT = "Nothing was sent.";
const WRITE_AGAIN = "To send the message, go back to your app and write it again.";
const CLOSE_PAGE = "You can close this page.";

const platformNames: Readonly<Record<string, string>> = { instagram: "Instagram", messenger: "Messenger" };

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

export function sent(hold: Hold): Notice {
  if (hold.test) return testPassed;
  const recipient = hold.displayName === "" ? "" : ` to ${isolated(hold.displayName)}`;
  return {
    mark: "sent",
    title: "Sent",
    body: [`Your message${recipient} was sent on ${platformName(hold.platform)}.`, CLOSE_PAGE],
  };
}

const testPassed: Notice = {
  mark: "sent",
  title: "Test passed",
  body: ["This was a test. No one received the message.", CLOSE_PAGE],
};

export function alreadySent({ test }: HoldState): Notice {
  if (test) return testPassed;
  return {
    mark: "sent",
    title: "Already sent",
    body: ["This message was sent earlier. It is sent only once.", CLOSE_PAGE],
  };
}

export const sending: Notice = {
  mark: "waiting",
  title: "Sending",
  body: ["The platform has not confirmed your message yet.", "This page updates automatically."],
};

export const stillSending: Notice = {
  mark: "waiting",
  title: "Still sending",
  body: ["The platform has not confirmed your message yet.", "You can close this page. The message is sent only once."],
  buttonLabel: "Refresh status",
};

export const expired: Notice = {
  mark: "failed",
  title: "Time ran out",
  body: [`The time to send this message has passed. ${NOTHING_SENT}`, WRITE_AGAIN],
};

export const linkIncomplete: Notice = {
  mark: "failed",
  title: "This link is incomplete",
  body: [
    "Part of the link is missing, so the page cannot show your message.",
    "Open the complete link from your app again.",
  ],
};

export const linkNotValid: Notice = {
  mark: "failed",
  title: "This link is not valid",
  body: ["The link is wrong or has expired. A link works for at most 30 minutes.", WRITE_AGAIN],
};

/** Speaks of this attempt only: an earlier one may have sent the message. */
export const unreachable: Notice = {
  mark: "unclear",
  title: "No connection",
  body: ["The service could not be reached, so this attempt sent nothing.", "Check your connection, then try again."],
  buttonLabel: "Try again",
};

/** For a missing or unclear response to the solutions: only the server knows whether the message was sent. */
export const outcomeUnknown: Notice = {
  mark: "unclear",
  title: "No response",
  body: [
    "The service did not give a clear response, so the message may have been sent.",
    "Refresh the status to find out. The message is sent only once.",
  ],
  buttonLabel: "Refresh status",
};

export const internalError: Notice = {
  mark: "unclear",
  title: "Something went wrong",
  body: ["An error occurred in the service. Try again."],
  buttonLabel: "Try again",
};

export const checkFailed: Notice = {
  mark: "unclear",
  title: "The check failed",
  body: [`The service did not accept the check. ${NOTHING_SENT}`, "Try again with a new check."],
  buttonLabel: "Try again",
};

export const cannotSolve: Notice = {
  mark: "unclear",
  title: "The check could not run",
  body: [`Your browser could not run the check. ${NOTHING_SENT}`, "Try again, or open the link in another browser."],
  buttonLabel: "Try again",
};

export function tooManyAttempts(wait: string): Notice {
  return {
    mark: "waiting",
    title: "Too many attempts",
    body: ["There were too many attempts in a short time.", `You can try again in ${wait}.`],
  };
}

export const waitOver: Notice = {
  mark: "waiting",
  title: "Ready to continue",
  body: ["You can try again now."],
  buttonLabel: "Try again",
};

/** For a hold that ended as failed, with its reason if that is known. */
export function failed({ platform, error }: HoldState): Notice {
  const name = platform === "" ? "The platform" : platformName(platform);
  if (error === null) {
    return {
      mark: "unclear",
      title: "Not confirmed",
      body: [
        "The message was not sent, or the platform did not confirm it. Your app shows which.",
        "Check the conversation before you write the message again.",
      ],
    };
  }
  if (error.code === "send_failed" && error.detail === "outcome_unknown") {
    return {
      mark: "unclear",
      title: "Not confirmed",
      body: [
        `${name} did not confirm the message, so it may have been sent.`,
        "Check the conversation before you write the message again.",
      ],
    };
  }
  return { mark: "failed", title: "Not sent", ...explainFailure(name, error) };
}

/** Whether the page has a text for a failure. */
export function hasReason({ code }: Problem): boolean {
  return Object.hasOwn(explanations, code);
}

/** What happened and what to do, then what the platform said. */
type Explanation = Pick<Notice, "body" | "quote">;

function explainFailure(name: string, error: Problem): Explanation {
  const explain = Object.hasOwn(explanations, error.code) ? explanations[error.code] : undefined;
  return explain?.(name, error.detail) ?? explanation("The message could not be sent. Your app shows the reason.");
}

function explanation(cause: string, remedy: string = WRITE_AGAIN): Explanation {
  return { body: [cause, remedy] };
}

const WAIT_FOR_PERSON = "You can write again when this person sends a new message.";

const explanations: Readonly<Record<string, (name: string, detail: string) => Explanation>> = {
  human_agent_unavailable: explainWindowClosed,
  window_closed: explainWindowClosed,
  rate_limited: () =>
    explanation("The limit for sending messages has been reached.", "Wait a while, then write the message again."),
  account_not_found: () =>
    explanation(
      "The account for this message is no longer connected.",
      "Connect the account, then write the message again.",
    ),
  send_failed: explainRefusal,
  internal_error: () => explanation("An error occurred in the service before the message was sent."),
};

function explainWindowClosed(name: string): Explanation {
  return explanation(`${name}’s time limit for messages to this person has passed.`, WAIT_FOR_PERSON);
}

function explainRefusal(name: string, detail: string): Explanation {
  switch (detail) {
    case "":
      return explanation(`${name} did not accept the message.`);
    case "not_sent_in_time":
      return explanation("Sending took too long, so nothing was sent.");
    case "needs_reauth":
      return explanation(
        `The account for this message must be reconnected to ${name}.`,
        "Reconnect the account, then write the message again.",
      );
    case "restricted":
      return explanation(
        `${name} has restricted the account for this message.`,
        `Resolve the restriction with ${name}, then write the message again.`,
      );
    default:
      return { ...explanation(`${name} did not accept the message.`), quote: { source: name, text: detail } };
  }
}
