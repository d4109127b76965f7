import { type CheckExchange, type Exchange, exchangeChecker } from "./check-exchange.ts";
import { readServedDocument } from "./document.ts";
import { addProblem } from "./problems.ts";

/** Each worker reads the document once, when its first answer arrives. */
let check: CheckExchange | null = null;

/** Checks an exchange of the running test, which fails at its end if the document does not declare it. */
export function observeExchange(exchange: Exchange): void {
  check ??= exchangeChecker(readServedDocument());
  const { method, url, status } = exchange;
  for (const problem of check(exchange)) addProblem(`${method} ${url} → ${status}: ${problem}`);
}
