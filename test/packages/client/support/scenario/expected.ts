import { type GuidedCall, guidedCalls } from "./calls.ts";
import { type Fault, guidedFaults } from "./faults.ts";

const isRepeated = (fault: Fault, call: GuidedCall) =>
  fault.isRetried !== "never" &&
  (call.isRetried === "like a read" ||
    (call.isRetried === "after 429" && fault.isRetried === "of reads, tests and replays"));

/** What each runtime must report. @param redirectStatus browsers hide the status of a redirect */
export function expectedResults(redirectStatus: number): Record<string, unknown> {
  return {
    ids: ["a", "b"],
    reply: { platform_message_id: "m_1" },
    held: { hold: { id: "hold_1" } },
    aborted: { code: "aborted", status: null },
    upload: { id: "upl_1", status: "ready", attachment: { id: "185", type: "file" } },
    isPosted: true,
    waits: [750],
    event: { id: "evt_1", type: "test.event", data: { note: "Grüße" } },
    forged: { code: "signature_invalid", status: null },
    guidance: expectedGuidance(redirectStatus),
    timeOuts: expectedTimeOuts(),
    uploadTimeOut: { code: "timeout", detail: "upl_1" },
    aborts: {
      "between-pages": { ids: ["a", "b"], error: "aborted" },
      "hanging-page": { ids: ["a", "b"], error: "aborted" },
      "refused-page": { ids: ["a", "b"], error: "aborted" },
      "left-loop": "a",
    },
    stream: ["hello", "evt_1", "evt_last"],
  };
}

function expectedGuidance(redirectStatus: number): Record<string, unknown> {
  const rows = Object.entries(guidedFaults(redirectStatus)).flatMap(([name, fault]) =>
    guidedCalls.map((call) => {
      const error = { code: fault.code, status: fault.status };
      return [`${name}: ${call.path}`, { error, waits: isRepeated(fault, call) ? fault.waits : [] }];
    }),
  );
  return Object.fromEntries(rows);
}

/** After an attempt that timed out only a read has another one, and after the whole time nothing has. */
function expectedTimeOuts(): Record<string, unknown> {
  const writes = [
    "/v1/webhooks/w/test",
    "/v1/webhooks/w/deliveries/replay",
    "/v1/webhooks/w/deliveries/d/replay",
    "/v1/messages/reply",
  ];
  const error = { code: "timeout", status: null };
  const rows = ["connect", "headers", "body"].flatMap((phase) => [
    [`attemptTimeoutMs, ${phase}: /v1/conversations/c`, { error, requests: 2 }],
    [`timeoutMs, ${phase}: /v1/conversations/c`, { error, requests: 1 }],
    ...writes.map((path) => [`attemptTimeoutMs, ${phase}: ${path}`, { error, requests: 1 }]),
  ]);
  return Object.fromEntries(rows);
}

/** The requests that arrive in one run, by path, but those that time out. */
export function expectedCounts(): Record<string, number> {
  const guided = Object.entries(guidedFaults(0)).flatMap(([name, fault]) =>
    guidedCalls.map((call) => [`/fault/${name}${call.path}`, isRepeated(fault, call) ? 5 : 1]),
  );
  return {
    "/v1/messages": 3,
    "/v1/messages/reply": 1,
    "/v1/messages/human-agent": 1,
    "/storage": 1,
    "/v1/attachments": 1,
    "/between-pages/v1/messages": 1,
    "/hanging-page/v1/messages": 2,
    "/refused-page/v1/messages": 2,
    "/left-loop/v1/messages": 1,
    ...Object.fromEntries(guided),
  };
}
