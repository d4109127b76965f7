import { completeHold, fetchChallenge, fetchHold, type Hold, type Link } from "./calls.ts";
import { formatDuration } from "./durations.ts";
import { readLink, reloadOnNewLink } from "./link.ts";
import * as words from "./notices.ts";
import { solveChallenge } from "./solving.ts";
import { afterComplete, afterFetch, afterRefusal, halt, type Step } from "./steps.ts";
import * as view from "./view.ts";

// The page's script: it reads the held message, waits for one press of the button, solves the check, asks to send.
// What the server says decides: the clock here is only shown.

const SECOND = 1_000;
const POLL_INTERVAL = 3 * SECOND;
// The server gives a hold up when it has been going out for a minute.
const POLLS_MAX = 25;
const CHALLENGES_MAX = 3;
const noop = () => {};

/** What the button does now. */
let buttonAction = noop;
let stopTimer = noop;

const link = readLink();
reloadOnNewLink();
view.onButtonPress(() => buttonAction());
if (link === "incomplete") view.showNotice(words.linkIncomplete);
else if (link === "not_valid") view.showNotice(words.linkNotValid);
else void refresh(link, false);

/** `pressed`: after a press of the button, so that the focus is led on with the page. */
function applyStep(link: Link, step: Step, afterPress: boolean): void {
  stopTimer();
  buttonAction = noop;
  switch (step.kind) {
    case "ask":
      view.showQuestion(step.hold, afterPress);
      // By the server's own clock, as its answer's date gives it: the clock of a phone may be wrong.
      runClock(link, step.hold.expiresAt + (step.serverTime === null ? 0 : Date.now() - step.serverTime));
      buttonAction = () => void checkAndSend(link, step.hold).then((next) => applyStep(link, next, true));
      break;
    case "watch":
      view.showNotice(words.sending);
      void pollUntilSettled(link, step.hold).then((next) => applyStep(link, next, true));
      break;
    case "wait":
      startCooldown(link, step.seconds);
      break;
    case "halt":
      view.showNotice(step.notice);
      // Where the notice has a button, only the server knows where the message stands by then.
      buttonAction = () => void refresh(link, true);
      break;
  }
}

async function refresh(link: Link, afterPress: boolean): Promise<void> {
  buttonAction = noop;
  view.showLoading();
  applyStep(link, afterFetch(await fetchHold(link), null), afterPress);
}

async function checkAndSend(link: Link, hold: Hold): Promise<Step> {
  stopTimer();
  buttonAction = noop;
  for (let i = 0; i < CHALLENGES_MAX; i++) {
    view.showChecking();
    const challenge = await fetchChallenge(link);
    if (challenge.kind === "unreachable") return halt(words.unreachable);
    if (challenge.kind === "refused") return afterRefusal(challenge, null);
    const { count, token } = challenge.data;
    const showSolved = (solved: number) => view.showProgress(solved, count);
    const solutions = await solveChallenge(challenge.data, showSolved).catch(() => null);
    if (solutions === null) return halt(words.cannotSolve);
    view.showSending();
    const answer = await completeHold(link, token, solutions);
    // A slow device, or one that slept: a fresh challenge, and the person need not know.
    const challengeExpired = answer.kind === "refused" && answer.problem.detail === "challenge_expired";
    if (!challengeExpired) return afterComplete(answer, hold);
  }
  return halt(words.checkFailed);
}

/** Looks again until the platform has answered. */
async function pollUntilSettled(link: Link, hold: Hold | null): Promise<Step> {
  for (let i = 0; i < POLLS_MAX; i++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    const next = afterFetch(await fetchHold(link), hold);
    if (next.kind !== "watch") return next;
  }
  return halt(words.stillSending);
}

/** Counts down, and at the end asks the server whether the time is over there too. */
function runClock(link: Link, until: number): void {
  const refreshAt = Math.max(until, Date.now() + 5 * SECOND);
  let refreshed = false;
  everySecond(() => {
    const now = Date.now();
    view.showTimeLeft(until - now);
    if (refreshed || now < refreshAt) return;
    refreshed = true;
    const previousAction = buttonAction;
    void fetchHold(link).then((answer) => {
      // The button may have been pressed meanwhile: then the send's own answer tells.
      if (buttonAction === previousAction) applyStep(link, afterFetch(answer, null), false);
    });
  });
}

function startCooldown(link: Link, seconds: number): void {
  const until = Date.now() + seconds * SECOND;
  view.showNotice(words.tooManyAttempts(formatDuration(seconds)));
  everySecond(() => {
    const remaining = until - Date.now();
    view.updateNoticeBody(words.tooManyAttempts(formatDuration(remaining / SECOND)));
    if (remaining > 0) return;
    stopTimer();
    view.showNotice(words.waitOver, { focus: false });
    buttonAction = () => void refresh(link, true);
  });
}

function everySecond(tick: () => void): void {
  const timer = setInterval(tick, SECOND);
  stopTimer = () => clearInterval(timer);
  tick();
}
