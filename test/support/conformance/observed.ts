import { type CheckExchange, type Exchange, exchangeChecker } from "./check-exchange.ts";
import { readServedDocument } from "./document.ts";
import { addProblem } from "./problems.ts";

/** What the document does not declare yet. */
const PENDING = [
  /^POST \/v1\/messages\/reply → (404|409|502): the header (idempotent-replayed|retry-after) is not declared$/,
  /^GET \/oauth\/(messenger|instagram)\/callback\S* → (403|409|502): the header set-cookie is not declared$/,
];

/** Each worker reads the document once, when its first answer arrives. */
let check: CheckExchange | null = null;

/** Checks an exchange of the running test, which fails at its end if the document does not declare it. */
export function observeExchange(exchange: Exchange): void {
  check ??= exchangeChecker(readServedDocument());
  const { method, url, status } = exchange;
  for (const problem of check(exchange)) {
    const text = `${method} ${url} → ${status}: ${problem}`;
    if (!PENDING.some((pattern) => pattern.test(text))) addProblem(text);
  }
}
