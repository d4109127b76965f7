import { formatDuration } from "../common/durations.ts";
import { pageLanguage } from "../common/page-texts.ts";
import { completeHold, fetchChallenge, fetchHold, type Hold, type Link } from "./calls.ts";
import { forgetSecret, readLink, reloadOnNewLink } from "./link.ts";
import { selectText } from "./message-view.ts";
import { noticesIn } from "./notices.ts";
import { solveChallenge } from "./solving.ts";
import { halt, type Step, stepsWith } from "./steps.ts";
import { texts } from "./texts.ts";
import * as view from "./view.ts";

// The script of the page: it gets the held message, waits for a press of the button, solves the challenge and requests
// the send. The server decides whether time is left. The clock of the page is for display only.

const notices = noticesIn(texts);
const { afterComplete, afterEnd, afterFetch, afterRefusal } = stepsWith(notices);

const SECOND = 1_000;
const POLL_INTERVAL = 3 * SECOND;
// The server fails a hold after one minute in state `sending`.
const POLLS_MAX = 25;
const CHALLENGES_MAX = 3;
const noop = () => {};

/** What a press of the button does now. */
let buttonAction = noop;
let stopTimer = noop;
/** The text that the page shows. The service forgets it when the hold ends. */
let shownText = "";

const start = readLink();
reloadOnNewLink();
view.onButtonPress(() => buttonAction());
switch (start.kind) {
  case "link":
    void refresh(start.link, false);
    break;
  case "incomplete":
    view.showNotice(notices.linkIncomplete);
    break;
  case "not_valid":
    view.showNotice(notices.linkNotValid);
    break;
  case "ended": {
    const step = afterEnd(start.hold, null);
    view.showNotice(step.kind === "end" ? step.notice : notices.linkIncomplete);
    break;
  }
}

/** @param afterPress whether a press of the button was the cause: then the focus moves to the heading */
function applyStep(link: Link, step: Step, afterPress: boolean): void {
  stopTimer();
  buttonAction = noop;
  switch (step.kind) {
    case "confirm":
      shownText = step.hold.text;
      view.showQuestion(step.hold, afterPress);
      // The time left follows the `Date` header of the server: the clock of the device may be wrong.
      runClock(link, step.hold.expiresAt + (step.serverTime === null ? 0 : Date.now() - step.serverTime));
      buttonAction = () => void checkAndSend(link, step.hold).then((next) => applyStep(link, next, true));
      break;
    case "poll":
      view.showNotice(notices.sending);
      void pollUntilSettled(link, step.hold).then((next) => applyStep(link, next, true));
      break;
    case "wait":
      startCooldown(link, step.seconds);
      break;
    case "halt":
      view.showNotice(step.notice);
      // By the time of the press, only the server knows the state of the message.
      buttonAction = () => void refresh(link, true);
      break;
    case "end":
      forgetSecret(step.hold);
      view.showNotice(step.notice);
      // Only a message that certainly was not sent: a copy of any other may reach the person twice.
      if (step.notice.mark === "failed" && step.hold.status !== "gone" && shownText !== "") offerCopy(shownText);
      break;
  }
}

function offerCopy(text: string): void {
  view.showCopyButton();
  buttonAction = () => void copy(text);
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    view.showCopied(true);
  } catch {
    selectText();
    view.showCopied(false);
  }
}

async function refresh(link: Link, afterPress: boolean): Promise<void> {
  buttonAction = noop;
  view.showRefreshing();
  applyStep(link, afterFetch(await fetchHold(link), null), afterPress);
}

async function checkAndSend(link: Link, hold: Hold): Promise<Step> {
  stopTimer();
  buttonAction = noop;
  for (let i = 0; i < CHALLENGES_MAX; i++) {
    view.showChecking();
    const challenge = await fetchChallenge(link);
    if (challenge.kind === "unreachable") return halt(notices.unreachable);
    if (challenge.kind === "refused") return afterRefusal(challenge, null);
    const { count, token } = challenge.data;
    const startedAt = performance.now();
    const showSolved = (solved: number) => view.showProgress(solved, count, performance.now() - startedAt);
    const solutions = await solveChallenge(challenge.data, showSolved).catch(() => null);
    if (solutions === null) return halt(notices.cannotSolve);
    view.showSending();
    const result = await completeHold(link, token, solutions);
    // The device was slow or asleep: solve a new challenge without asking the person.
    const challengeExpired = result.kind === "refused" && result.problem.detail === "challenge_expired";
    if (!challengeExpired) return afterComplete(result, hold);
  }
  return halt(notices.checkFailed);
}

/** Gets the hold again until the send has an outcome. */
async function pollUntilSettled(link: Link, hold: Hold | null): Promise<Step> {
  for (let i = 0; i < POLLS_MAX; i++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    const next = afterFetch(await fetchHold(link), hold);
    if (next.kind !== "poll") return next;
  }
  return halt(notices.stillSending);
}

/** Shows the time left. At the end it asks the server whether the hold has expired. */
function runClock(link: Link, until: number): void {
  const refreshAt = Math.max(until, Date.now() + 5 * SECOND);
  let refreshed = false;
  everySecond(() => {
    const now = Date.now();
    view.showTimeLeft(until - now);
    if (refreshed || now < refreshAt) return;
    refreshed = true;
    const previousAction = buttonAction;
    void fetchHold(link).then((result) => {
      // If the button was pressed in the meantime, the result of the send decides.
      if (buttonAction === previousAction) applyStep(link, afterFetch(result, null), false);
    });
  });
}

function startCooldown(link: Link, seconds: number): void {
  const until = Date.now() + seconds * SECOND;
  view.showNotice(notices.tooManyAttempts(formatDuration(seconds, pageLanguage())));
  everySecond(() => {
    const remaining = until - Date.now();
    view.updateNoticeBody(notices.tooManyAttempts(formatDuration(remaining / SECOND, pageLanguage())));
    if (remaining > 0) return;
    stopTimer();
    view.showNotice(notices.waitOver, { focus: false });
    buttonAction = () => void refresh(link, true);
  });
}

function everySecond(tick: () => void): void {
  const timer = setInterval(tick, SECOND);
  stopTimer = () => clearInterval(timer);
  tick();
}
