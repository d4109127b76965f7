import type { Answer } from "./small-world.ts";

/** What a call may get instead of its answer, and words of the console about it. */
export interface Failure {
  readonly name: string;
  readonly answer: Answer;
  readonly words: RegExp;
}

const again = /Try again in a minute/;
const limit = /Wait a minute|Too many|Wait a little/;

export const failures: readonly Failure[] = [
  { name: "401", answer: { status: 401, code: "unauthorized" }, words: /Sign in again/ },
  { name: "403", answer: { status: 403, code: "forbidden" }, words: /Your role does not allow this/ },
  { name: "404", answer: { status: 404, code: "account_not_found" }, words: /does not exist any more/ },
  { name: "409", answer: { status: 409, code: "account_conflict" }, words: /changed in the meantime/ },
  { name: "413", answer: { status: 413, code: "attachment_too_large" }, words: /too large/ },
  { name: "429", answer: { status: 429, code: "rate_limited" }, words: limit },
  {
    name: "a 429 for 100 seconds",
    answer: { status: 429, code: "rate_limited", headers: { "retry-after": "100" } },
    words: limit,
  },
  { name: "500", answer: { status: 500, code: "internal_error" }, words: again },
  { name: "a bare 429", answer: { status: 429, body: "" }, words: limit },
  {
    name: "a Wi-Fi page",
    answer: { status: 200, body: "<!doctype html><h1>Hotel</h1>" },
    words: /sign in to the Wi-Fi/,
  },
  { name: "no connection", answer: { status: 0 }, words: /Check your network/ },
];
