import { acceptedMessages } from "./check-messages.ts";
import { type Evidence, groupBy } from "./evidence.ts";
import { isErased, type SendRequest } from "./ledger.ts";

/** One platform call for each send and each idempotency key, and responses that fit what left. */
export function checkSends({ ledger }: Evidence): string[] {
  const violations: string[] = [];
  for (const [text, calls] of groupBy(ledger.platformCalls, (call) => call.text))
    if (calls.length > 1) violations.push(`the platform was called ${calls.length} times for ${text}`);
  for (const [sendId, calls] of groupBy(ledger.platformCalls, (call) => call.sendId))
    if (calls.length > 1) violations.push(`the platform was called ${calls.length} times for send ${sendId}`);
  const left = groupBy(ledger.left, ({ text }) => text);
  for (const send of ledger.sends) {
    const mids = new Set(left.get(send.text)?.map(({ mid }) => mid));
    violations.push(...checkResponses(send, mids));
  }
  return violations;
}

function checkResponses({ text, responses }: SendRequest, leftIds: ReadonlySet<string>): string[] {
  return responses.flatMap(({ status, messageId, code, detail, callsDuring }) => {
    const name = `${text} was answered ${status} ${code} ${detail}`;
    if (status === 200 && messageId !== null && !leftIds.has(messageId)) return [`${name}, and did not leave`];
    if (status === 500 && code === "internal_error")
      return callsDuring !== null && callsDuring > 0 ? [`${name} after the platform was called`] : [];
    const isRefusal = status >= 400 && code !== null && code !== "idempotency_conflict" && status !== 503;
    if (isRefusal && detail !== "outcome_unknown" && leftIds.size > 0) return [`${name}, and it left`];
    return [];
  });
}

/** A call of the platform ends in an event at every endpoint: sent, or failed. */
export function checkSendEvents({ ledger, endpointIds }: Evidence): string[] {
  const { posts, platformCalls, left, sends } = ledger;
  const sent = acceptedMessages(posts, "message.sent");
  const failed = posts.filter(({ type, accepted }) => accepted && type === "message.failed");
  return platformCalls.flatMap(({ text }) => {
    const send = sends.find((each) => each.text === text);
    if (!send) return [`${text} left, and no one asked for it`];
    if (isErased(ledger, send.person, send.requestedAt)) return [];
    const mids = left.filter((message) => message.text === text).map(({ mid }) => mid);
    return endpointIds
      .filter(
        (endpointId) =>
          !mids.some((mid) => sent.has(`${endpointId} ${mid}`)) &&
          !failed.some((post) => post.endpointId === endpointId && post.body.includes(text)),
      )
      .map(
        (endpointId) =>
          `${text} (${mids.join() || "not accepted"}) was published neither as sent nor as failed to ${endpointId}`,
      );
  });
}
