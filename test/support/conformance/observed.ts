import { type CheckExchange, type Exchange, exchangeChecker } from "./check-exchange.ts";
import { type CheckFrame, type FrameSide, frameChecker } from "./check-frame.ts";
import { readServedDocument } from "./document.ts";
import { addProblem } from "./problems.ts";

/** Each worker reads the document once for answers, when the first arrives, and once for frames. */
let checkExchange: CheckExchange | null = null;
let checkFrame: CheckFrame | null = null;

/** Checks an exchange of the running test, which fails at its end if the document does not declare it. */
export function observeExchange(exchange: Exchange): void {
  checkExchange ??= exchangeChecker(readServedDocument());
  const { method, url, status } = exchange;
  for (const problem of checkExchange(exchange)) addProblem(`${method} ${url} → ${status}: ${problem}`);
}

/** Checks a frame of the realtime stream in the running test, which fails at its end if the document does not declare it. */
export function observeFrame(side: FrameSide, text: string): void {
  checkFrame ??= frameChecker(readServedDocument());
  for (const problem of checkFrame(side, text)) addProblem(`frame ${text.slice(0, 300)}: ${problem}`);
}
