import { type CheckPageTexts, fillText } from "../../shared/base/languages/texts.ts";
import { isolated } from "../common/names.ts";
import type { Hold, HoldState, Problem } from "./calls.ts";

// What the page shows in every state after the question. It never claims that it has verified a human: it has not.

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

const platformNames: Readonly<Record<string, string>> = { instagram: "Instagram", messenger: "Messenger" };

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

/** The failures for which the page has a text. */
const explainedCodes = [
  "human_agent_unavailable",
  "window_closed",
  "rate_limited",
  "account_not_found",
  "send_failed",
  "internal_error",
];

/** Whether the page has a text for a failure. */
export function hasReason({ code }: Problem): boolean {
  return explainedCodes.includes(code);
}

/** What happened and what to do, then what the platform said. */
type Explanation = Pick<Notice, "body" | "quote">;

export type Notices = ReturnType<typeof noticesIn>;

/** The notices of the page in one language. */
export function noticesIn(texts: CheckPageTexts) {
  const testPassed: Notice = { mark: "sent", title: texts.testTitle, body: [texts.testText, texts.closePage] };
  const explanation = (cause: string, remedy: string = texts.writeAgain): Explanation => ({ body: [cause, remedy] });

  function explainFailure(platform: string, { code, detail }: Problem): Explanation {
    switch (code) {
      case "human_agent_unavailable":
      case "window_closed":
        return explanation(fillText(texts.windowClosed, { platform }), texts.waitForPerson);
      case "rate_limited":
        return explanation(texts.rateLimited, texts.waitAWhile);
      case "account_not_found":
        return explanation(texts.notConnected, texts.connectAccount);
      case "internal_error":
        return explanation(texts.internalError);
      case "send_failed":
        return explainRefusal(platform, detail);
      default:
        return explanation(texts.noReason);
    }
  }

  function explainRefusal(platform: string, detail: string): Explanation {
    switch (detail) {
      case "":
        return explanation(fillText(texts.refused, { platform }));
      case "not_sent_in_time":
        return explanation(texts.tooSlow);
      case "needs_reauth":
        return explanation(fillText(texts.mustReconnect, { platform }), texts.reconnectAccount);
      case "restricted":
        return explanation(fillText(texts.restricted, { platform }), fillText(texts.resolveRestriction, { platform }));
      default:
        return { ...explanation(fillText(texts.refused, { platform })), quote: { source: platform, text: detail } };
    }
  }

  return {
    sent(hold: Hold): Notice {
      if (hold.test) return testPassed;
      const values = { name: isolated(hold.displayName), platform: platformName(hold.platform) };
      const text = fillText(hold.displayName === "" ? texts.sentOn : texts.sentTo, values);
      return { mark: "sent", title: texts.sentTitle, body: [text, texts.closePage] };
    },
    alreadySent({ test }: HoldState): Notice {
      if (test) return testPassed;
      return { mark: "sent", title: texts.alreadySentTitle, body: [texts.alreadySentText, texts.closePage] };
    },
    sending: {
      mark: "waiting",
      title: texts.sendingTitle,
      body: [texts.notConfirmedYet, texts.updatesItself],
    } as Notice,
    stillSending: {
      mark: "waiting",
      title: texts.stillSendingTitle,
      body: [texts.notConfirmedYet, texts.closeSentOnce],
      buttonLabel: texts.refreshStatus,
    } as Notice,
    expired: {
      mark: "failed",
      title: texts.expiredTitle,
      body: [texts.expiredText, texts.writeAgain],
    } as Notice,
    linkIncomplete: {
      mark: "failed",
      title: texts.incompleteTitle,
      body: [texts.incompleteText, texts.incompleteRemedy],
    } as Notice,
    linkNotValid: {
      mark: "failed",
      title: texts.notValidTitle,
      body: [texts.notValidText, texts.writeAgain],
    } as Notice,
    /** Speaks of this attempt only: an earlier one may have sent the message. */
    unreachable: {
      mark: "unclear",
      title: texts.unreachableTitle,
      body: [texts.unreachableText, texts.unreachableRemedy],
      buttonLabel: texts.tryAgain,
    } as Notice,
    /** For a missing or unclear response to the solutions: only the server knows whether the message was sent. */
    outcomeUnknown: {
      mark: "unclear",
      title: texts.noResponseTitle,
      body: [texts.noResponseText, texts.noResponseRemedy],
      buttonLabel: texts.refreshStatus,
    } as Notice,
    internalError: {
      mark: "unclear",
      title: texts.errorTitle,
      body: [texts.errorText],
      buttonLabel: texts.tryAgain,
    } as Notice,
    checkFailed: {
      mark: "unclear",
      title: texts.checkFailedTitle,
      body: [texts.checkFailedText, texts.checkFailedRemedy],
      buttonLabel: texts.tryAgain,
    } as Notice,
    cannotSolve: {
      mark: "unclear",
      title: texts.cannotSolveTitle,
      body: [texts.cannotSolveText, texts.cannotSolveRemedy],
      buttonLabel: texts.tryAgain,
    } as Notice,
    tooManyAttempts(time: string): Notice {
      return {
        mark: "waiting",
        title: texts.tooManyTitle,
        body: [texts.tooManyText, fillText(texts.tooManyWait, { time })],
      };
    },
    waitOver: {
      mark: "waiting",
      title: texts.waitOverTitle,
      body: [texts.waitOverText],
      buttonLabel: texts.tryAgain,
    } as Notice,
    /** For a hold that ended as failed, with its reason if that is known. */
    failed({ platform, error }: HoldState): Notice {
      const name = platform === "" ? texts.thePlatform : platformName(platform);
      const unclear = (text: string): Notice => ({
        mark: "unclear",
        title: texts.notConfirmedTitle,
        body: [text, texts.checkConversation],
      });
      if (error === null) return unclear(texts.notConfirmedUnknown);
      if (error.code === "send_failed" && error.detail === "outcome_unknown") {
        return unclear(fillText(texts.notConfirmedBy, { platform: name }));
      }
      return { mark: "failed", title: texts.notSentTitle, ...explainFailure(name, error) };
    },
  };
}
