import type { PastAttempt } from "../rules/attempt-history.ts";
import type { AttemptError } from "../rules/deliveries.ts";

// A delivery's attempts in one attribute, newest first: `<number>.<start>.<status or error>.<duration>`, times in base 36.
// An entry has about 20 bytes, so that a row with ten of them and a response stays within one write unit (1 KB).

/** Never change a letter: rows with the old one exist. */
const errorLetters: Readonly<Record<Exclude<AttemptError, "status">, string>> = {
  timeout: "t",
  connect: "c",
  tls: "l",
  dns: "d",
  too_large: "z",
  gate: "g",
};

export function encodeAttempts(attempts: readonly PastAttempt[]): string {
  return attempts
    .map(({ attempt, at, status, error, durationMs }) => {
      const result = status ?? (error && error !== "status" ? errorLetters[error] : "");
      return [attempt, at.toString(36), result, durationMs?.toString(36) ?? ""].join(".");
    })
    .join(",");
}

export function decodeAttempts(text: string): PastAttempt[] {
  return text.split(",").map((entry) => {
    const [attempt = "", at = "", result = "", duration = ""] = entry.split(".");
    const status = /^\d+$/.test(result) ? Number(result) : null;
    return {
      attempt: Number(attempt),
      at: Number.parseInt(at, 36),
      status,
      error: status === null ? errorOfLetter(result) : isSuccess(status) ? null : "status",
      durationMs: duration === "" ? null : Number.parseInt(duration, 36),
    };
  });
}

function errorOfLetter(letter: string): AttemptError | null {
  const entry = Object.entries(errorLetters).find(([, one]) => one === letter);
  return (entry?.[0] as AttemptError | undefined) ?? null;
}

const isSuccess = (status: number) => status >= 200 && status <= 299;
