import { disconnect, disconnectInBody, fail, type Step, text } from "../scripted-server.ts";

/** A response to every attempt of a call, and what the client must make of it. */
export interface Fault {
  readonly step: Step;
  readonly code: string;
  readonly status: number | null;
  /** Which attempts the guidance repeats. */
  readonly isRetried: "of reads" | "of reads, tests and replays" | "never";
  /** The waits before the four retries. */
  readonly waits: readonly number[];
}

export const NOW = Date.UTC(2026, 10, 23, 3);

const WAITS = [250, 500, 1_000, 2_000];
const tooMany = {
  code: "rate_limited",
  status: 429,
  isRetried: "of reads, tests and replays",
  waits: WAITS,
} as const;
const lost = { code: "connection_failed", status: null, isRetried: "of reads", waits: WAITS } as const;
const unexpected = { code: "unexpected_response", isRetried: "of reads", waits: WAITS } as const;
const final = { isRetried: "never", waits: [] } as const;
const inSevenSeconds = new Date(NOW + 7_000).toUTCString();

/** @param redirectStatus browsers hide the status of a redirect */
export function guidedFaults(redirectStatus: number): Readonly<Record<string, Fault>> {
  return {
    "429-empty": { ...tooMany, step: text(429, "") },
    "429-html": { ...tooMany, step: text(429, "<html>") },
    "429-other-code": { ...tooMany, step: fail(429, { code: "too_many" }) },
    "429-seconds": { ...tooMany, step: text(429, "", { "retry-after": "7" }), waits: [7_250, 7_500, 8_000, 9_000] },
    // After the first wait the date is in the past.
    "429-date": {
      ...tooMany,
      step: text(429, "", { "retry-after": inSevenSeconds }),
      waits: [7_250, ...WAITS.slice(1)],
    },
    "500": { ...unexpected, step: fail(500, { code: "internal_error" }), code: "internal_error", status: 500 },
    "502-html": { ...unexpected, step: text(502, "<html>"), status: 502 },
    "503-empty": { ...unexpected, step: text(503, ""), status: 503 },
    "504-json": { ...unexpected, step: text(504, '{"message":"timeout"}'), status: 504 },
    disconnect: { ...lost, step: disconnect },
    "disconnect-in-body": { ...lost, step: disconnectInBody },
    // An exhausted budget.
    "409": { ...final, step: fail(409, { code: "rate_limited" }), code: "rate_limited", status: 409 },
    "404": { ...final, step: fail(404, { code: "message_not_found" }), code: "message_not_found", status: 404 },
    "200-html": { ...final, step: text(200, "<html>"), code: "unexpected_response", status: 200 },
    redirect: {
      ...final,
      step: text(302, "", { location: "/v1/ping" }),
      code: "unexpected_response",
      status: redirectStatus,
    },
  };
}
