import { type CheckExchange, type Exchange, exchangeChecker } from "./check-exchange.ts";
import { readServedDocument } from "./document.ts";
import { addProblem } from "./problems.ts";

/** What the document does not declare yet. */
const PENDING = [
  /→ \d+: the header (ratelimit-limit|location|set-cookie|idempotent-replayed|retry-after) is not declared$/,
  / \/oauth\/(messenger|instagram)\/callback\S* → 302: the status/,
  / \/console\/auth\/verify\S* → \d+: the content type "text\/html"/,
  / (\/health|\/platform\/(data-deletion|deauthorize))\S* → 200: the content type "application\/json"/,
  / (\/webhooks\/|\/docs|\/openapi.json|\/v1\/realtime|\/console\/session\/|\/platform\/data-deletion\/|\/verify|\/console\/auth\/sign|\/oauth\/connect)\S* → \d+: the document has no such path/,
  / → 429: /,
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
