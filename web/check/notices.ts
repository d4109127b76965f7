import type { Hold, Problem } from "./calls.ts";

// Every end of the page in words. The page never says that it has proved a human: it has not.

export type Mark = "sent" | "failed" | "waiting" | "unclear";

/** What the page says in place of the question: a heading, sentences, and the label of the one button that may follow. */
export interface Notice {
  readonly mark: Mark;
  readonly title: string;
  readonly body: readonly string[];
  readonly buttonLabel?: string;
}

const NOTHING_SENT = "Nothing has been sent.";
const WRITE_AGAIN = "To send it after all, write the message again where you wrote it.";

const platformNames: Readonly<Record<string, string>> = { instagram: "Instagram", messenger: "Messenger" };

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

export function sent(hold: Hold): Notice {
  if (hold.test) return testPassed;
  const person = hold.displayName === "" ? "" : ` to \u2068${hold.displayName}\u2069`;
  return {
    mark: "sent",
    title: "Sent",
    body: [`Your message${person} has been sent on ${platformName(hold.platform)}.`, "You can close this page."],
  };
}

const testPassed: Notice = {
  mark: "sent",
  title: "Test passed",
  body: ["This was a test: nobody has got the message.", "You can close this page."],
};

export const alreadySent: Notice = {
  mark: "sent",
  title: "Already sent",
  body: ["This message has been sent, and goes out only once.", "You can close this page."],
};

export const sending: Notice = {
  mark: "waiting",
  title: "Being sent",
  body: ["Your message is on its way to the platform, which has not answered yet.", "This page looks again by itself."],
};

export const stillSending: Notice = {
  mark: "waiting",
  title: "Being sent",
  body: ["The platform has not answered yet. You may close this page: the message goes out only once."],
  buttonLabel: "Look again",
};

export const expired: Notice = {
  mark: "failed",
  title: "Time ran out",
  body: [`The time to send this message is over. ${NOTHING_SENT}`, WRITE_AGAIN],
};

export const linkIncomplete: Notice = {
  mark: "failed",
  title: "Open the link again",
  body: [
    "A part of the address is missing: the page keeps it only until it is closed or loaded anew.",
    "Follow the link once more from where you found it.",
  ],
};

export const linkNotValid: Notice = {
  mark: "failed",
  title: "This link is not valid",
  body: ["It is wrong, or it is too old: a link works for half an hour at most.", WRITE_AGAIN],
};

export const unreachable: Notice = {
  mark: "unclear",
  title: "No connection",
  body: ["The service could not be reached, and nothing was sent from here.", "Check your connection, then try again."],
  buttonLabel: "Try again",
};

/** No clear answer came after the solutions went out: whether the message went too, only the server knows. */
export const outcomeUnknown: Notice = {
  mark: "unclear",
  title: "No answer",
  body: [
    "No clear answer came back, so the message may have been sent.",
    "Look again to find out: it goes out only once.",
  ],
  buttonLabel: "Look again",
};

export const internalError: Notice = {
  mark: "unclear",
  title: "Something went wrong",
  body: ["The service made a mistake. Try again, it may work now."],
  buttonLabel: "Try again",
};

export const checkFailed: Notice = {
  mark: "unclear",
  title: "The check did not work",
  body: [NOTHING_SENT, "Try again with a new check."],
  buttonLabel: "Try again",
};

export const cannotSolve: Notice = {
  mark: "unclear",
  title: "The check does not run here",
  body: [`Your browser did not run the check. ${NOTHING_SENT}`, "Try again, or open the link in another browser."],
  buttonLabel: "Try again",
};

export function tooManyAttempts(wait: string): Notice {
  return {
    mark: "waiting",
    title: "Too many tries",
    body: [`There were too many tries in a short time. You can go on in ${wait}.`],
  };
}

export const waitOver: Notice = {
  mark: "waiting",
  title: "Ready to go on",
  body: ["The wait is over."],
  buttonLabel: "Try again",
};

/** Of a hold that ended as failed; `error` is null where only the fact is known. */
export function failed(platform: string, error: Problem | null): Notice {
  const name = platform === "" ? "The platform" : platformName(platform);
  if (error === null) {
    return {
      mark: "unclear",
      title: "Perhaps not sent",
      body: [
        "The message was not sent, or nobody knows whether it was. The place where you wrote it shows which.",
        "Look into the conversation before you write it again: it may have arrived.",
      ],
    };
  }
  if (error.code === "send_failed" && error.detail === "outcome_unknown") {
    return {
      mark: "unclear",
      title: "Perhaps not sent",
      body: [
        `${name} did not say whether it took the message.`,
        "Look into the conversation before you write it again: it may have arrived.",
      ],
    };
  }
  return { mark: "failed", title: "Not sent", body: [failureReason(name, error), WRITE_AGAIN] };
}

/** Whether a failure is one that the page has words for. */
export function hasReason({ code }: Problem): boolean {
  return Object.hasOwn(reasons, code);
}

function failureReason(name: string, error: Problem): string {
  const reason = Object.hasOwn(reasons, error.code) ? reasons[error.code] : undefined;
  return reason?.(name, error.detail) ?? "The message could not be sent. The place where you wrote it shows why.";
}

const windowClosed = (name: string) => `The time in which ${name} lets you answer this person is over.`;

const reasons: Readonly<Record<string, (name: string, detail: string) => string>> = {
  human_agent_unavailable: (name, detail) =>
    // With an instant, it is the account that may not write.
    detail === "" ? windowClosed(name) : `${name} does not let this account write to anyone after so long a time.`,
  window_closed: windowClosed,
  rate_limited: () => "As many messages have been sent as may be for now. Wait a while before the next one.",
  account_not_found: () => "The account it should go out from is no longer connected.",
  send_failed: refusalReason,
  internal_error: () => "The service made a mistake before the message went out.",
};

function refusalReason(name: string, detail: string): string {
  switch (detail) {
    case "":
      return `${name} did not take the message.`;
    case "needs_reauth":
      return `The account it should go out from must be connected to ${name} anew.`;
    case "restricted":
      return `${name} has restricted the account it should go out from.`;
    default:
      return `${name} did not take it: “${detail}”`;
  }
}
