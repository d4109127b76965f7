import { complete, type Hold, type Link, readHold, takeChallenge } from "./calls.ts";
import { inWords } from "./durations.ts";
import { beginAnewWithNewLink, takeLink } from "./link.ts";
import { solveChallenge } from "./solving.ts";
import { afterComplete, afterLook, afterRefusal, halt, type Step } from "./steps.ts";
import * as view from "./view.ts";
import * as words from "./words.ts";

// The page's script: it reads the held message, waits for one press of the button, solves the check, asks to send.
// What the server says decides: the clock here is only shown.

const SECOND = 1_000;
const LOOK_EVERY = 3 * SECOND;
// The server gives a hold up when it has been going out for a minute.
const LOOKS_MAX = 25;
const CHALLENGES_MAX = 3;
const idle = () => {};

/** What the button does now. */
let act = idle;
let stopTimer = idle;

const link = takeLink();
beginAnewWithNewLink();
view.onGo(() => act());
if (link === "incomplete") view.showNotice(words.linkIncomplete);
else if (link === "not_valid") view.showNotice(words.linkNotValid);
else void look(link, false);

/** `pressed`: after a press of the button, so that the focus is led on with the page. */
function follow(link: Link, step: Step, pressed: boolean): void {
  stopTimer();
  act = idle;
  switch (step.kind) {
    case "ask":
      view.showQuestion(step.hold, pressed);
      // By the server's own clock, as its answer's date gives it: the clock of a phone may be wrong.
      runClock(link, step.hold.expiresAt + (step.serverTime === null ? 0 : Date.now() - step.serverTime));
      act = () => void checkAndSend(link, step.hold).then((next) => follow(link, next, true));
      break;
    case "watch":
      view.showNotice(words.sending);
      void watch(link, step.hold).then((next) => follow(link, next, true));
      break;
    case "wait":
      wait(link, step.seconds);
      break;
    case "halt":
      view.showNotice(step.notice);
      // Where the notice has a button, only the server knows where the message stands by then.
      act = () => void look(link, true);
      break;
  }
}

async function look(link: Link, pressed: boolean): Promise<void> {
  act = idle;
  view.showLoading();
  follow(link, afterLook(await readHold(link), null), pressed);
}

async function checkAndSend(link: Link, hold: Hold): Promise<Step> {
  stopTimer();
  act = idle;
  for (let i = 0; i < CHALLENGES_MAX; i++) {
    view.showChecking();
    const challenge = await takeChallenge(link);
    if (challenge.kind === "unreachable") return halt(words.unreachable);
    if (challenge.kind === "refused") return afterRefusal(challenge, null);
    const { count, token } = challenge.data;
    const showSolved = (solved: number) => view.showProgress(solved, count);
    const solutions = await solveChallenge(challenge.data, showSolved).catch(() => null);
    if (solutions === null) return halt(words.cannotSolve);
    view.showSending();
    const answer = await complete(link, token, solutions);
    // A slow device, or one that slept: a fresh challenge, and the person need not know.
    const tooLate = answer.kind === "refused" && answer.problem.detail === "challenge_expired";
    if (!tooLate) return afterComplete(answer, hold);
  }
  return halt(words.checkFailed);
}

/** Looks again until the platform has answered. */
async function watch(link: Link, hold: Hold | null): Promise<Step> {
  for (let i = 0; i < LOOKS_MAX; i++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    const next = afterLook(await readHold(link), hold);
    if (next.kind !== "watch") return next;
  }
  return halt(words.stillSending);
}

/** Counts down, and at the end asks the server whether the time is over there too. */
function runClock(link: Link, until: number): void {
  const askAt = Math.max(until, Date.now() + 5 * SECOND);
  let asked = false;
  everySecond(() => {
    const now = Date.now();
    view.showTimeLeft(until - now);
    if (asked || now < askAt) return;
    asked = true;
    const asking = act;
    void readHold(link).then((answer) => {
      // The button may have been pressed meanwhile: then the send's own answer tells.
      if (act === asking) follow(link, afterLook(answer, null), false);
    });
  });
}

function wait(link: Link, seconds: number): void {
  const until = Date.now() + seconds * SECOND;
  view.showNotice(words.tooManyTries(inWords(seconds)));
  everySecond(() => {
    const left = until - Date.now();
    view.rewordNotice(words.tooManyTries(inWords(left / SECOND)));
    if (left > 0) return;
    stopTimer();
    view.showNotice(words.waitIsOver, { focus: false });
    act = () => void look(link, true);
  });
}

function everySecond(tick: () => void): void {
  const timer = setInterval(tick, SECOND);
  stopTimer = () => clearInterval(timer);
  tick();
}
