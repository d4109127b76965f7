import { ulidTime } from "#base/kernel/ids.ts";
import { HUMAN_AGENT_WINDOW, IDEMPOTENCY_TTL, REPLY_WINDOW } from "#base/kernel/limits.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { KnownEndpoint, SendRequest } from "../deeds.ts";
import { findPerson } from "../world/people.ts";
import type { PlatformCall } from "../world/platform.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts, untouchedEndpoints } from "./endpoints.ts";
import { type Evidence, mayHaveExpired, messageIdOf, SLACK } from "./evidence.ts";

/** A send leaves within 30 seconds after its start, by clocks that differ by up to two. */
const LEAVES_WITHIN: Millis = 32 * SECOND;

/** One call for each send and for each key, in time, and no refusal of a message that left. */
export function judgeSends({ calls, sends }: Evidence): string[] {
  const violations: string[] = [];
  for (const { text, at, sendId } of calls) {
    const elapsed = at - ulidTime(sendId);
    if (elapsed > LEAVES_WITHIN) violations.push(`${text} left ${elapsed} ms after its send had started`);
  }
  for (const [sendId, same] of grouped(calls, ({ sendId: id }) => id))
    if (same.length > 1) violations.push(`send ${sendId} called the platform ${same.length} times`);
  for (const [text, same] of grouped(calls, (call) => call.text)) {
    const first = same[0]?.at ?? 0;
    if (same.filter(({ at }) => at < first + IDEMPOTENCY_TTL - MINUTE).length > 1)
      violations.push(`the platform was called ${same.length} times for ${text}`);
  }
  for (const request of sends) {
    if (request.kind !== "reply" || request.scope !== "live" || !request.response) continue;
    const { status, body } = request.response;
    // A key may be used again after a day: such a request has calls of its own.
    const same = sends.filter(({ text }) => text === request.text).map(({ at }) => at);
    const since = Math.min(request.at, ...same.filter((at) => at > request.at - IDEMPOTENCY_TTL));
    const next = Math.min(Infinity, ...same.filter((at) => at > request.at));
    const began = calls.filter(({ text, at }) => text === request.text && at >= since && at < next);
    const left = began.filter(({ messageId }) => messageId !== null);
    const name = `the reply ${request.text}`;
    if (status === 200 && !calls.some(({ messageId }) => messageId === body.data.platform_message_id))
      violations.push(`${name} was answered 200 with ${body.data.platform_message_id}, which did not leave`);
    if (status < 400 || lacksAccess(request)) continue;
    const { code, detail } = body.error;
    if (left.length > 0 && code !== "idempotency_conflict" && detail !== "outcome_unknown")
      violations.push(`${name} was refused with ${status} ${code} ${detail}, and it left`);
    if (status === 500 && began.length > 0) violations.push(`${name} was answered 500 after the platform was called`);
  }
  return violations;
}

/** Whether a request was refused before its key was looked for. Of a person who is no member, the conversation is unknown. */
function lacksAccess({ by, response }: SendRequest): boolean {
  const code = response?.body.error?.code;
  return code === "forbidden" || code === "unauthorized" || (by !== null && code === "conversation_not_found");
}

/** A call of the platform ends in an event: sent, or failed. None if the send started before an erasure. */
export function judgeSendEvents(evidence: Evidence): string[] {
  return evidence.calls.flatMap((call) => {
    if (evidence.mayBeErased(call.person, ulidTime(call.sendId)) || mayHaveExpired(evidence, call.at)) return [];
    const { tenant } = findPerson(call.person).account;
    const asksFor = (type: "message.sent" | "message.failed") =>
      untouchedEndpoints(evidence, call.at, { tenant, type });
    const endpoints = asksFor("message.sent").filter((endpoint) => asksFor("message.failed").includes(endpoint));
    return endpoints.flatMap((endpoint) => {
      const { id } = endpoint;
      const posts = acceptedPosts(evidence, id, (post) => isAbout(post.type, messageIdOf(post), post.body, call));
      return posts.length > 0 || wasAbandoned(evidence, call, endpoint)
        ? []
        : [`the send ${call.text} (${call.messageId ?? "refused"}) has no event at ${id}`];
    });
  });
}

/** Whether the event of a send had all its attempts. A failed message has no row that refers to its event. */
function wasAbandoned(evidence: Evidence, call: PlatformCall, endpoint: KnownEndpoint): boolean {
  const { tenant, id } = endpoint;
  const message = evidence.items.find(({ i }) => i === `${tenant}#${call.messageId}`);
  if (message) return mayLackDelivery(evidence, endpoint, String(message.e));
  const failed = evidence.items.filter(({ PK, ty }) => PK === `D#${tenant}#${id}#0` && ty === "message.failed");
  return failed.some(({ SK }) => mayLackDelivery(evidence, endpoint, SK));
}

function isAbout(type: string, mid: string | null, body: string, call: PlatformCall): boolean {
  if (type === "message.sent") return mid !== null && mid === call.messageId;
  return type === "message.failed" && body.includes(`"${call.text}"`);
}

/** The window, and the human-agent tag only behind a check. */
export function judgeWindows({ calls, messages, holds }: Evidence): string[] {
  return calls.flatMap((call) => {
    const inbound = messages.filter(({ isEcho, person, at }) => !isEcho && person === call.person && at <= call.at);
    const lastInboundAt = Math.max(0, ...inbound.map(({ at }) => at));
    const elapsed = call.at - lastInboundAt;
    if (!call.humanAgent) {
      return elapsed > REPLY_WINDOW + MINUTE ? [`${call.text} was sent ${elapsed} ms after the last message`] : [];
    }
    const hold = holds.find(({ text }) => text === call.text);
    const violations: string[] = [];
    if (!hold?.checkedAt || call.at < hold.checkedAt - SLACK)
      violations.push(`${call.text} was tagged without a check`);
    if (elapsed > HUMAN_AGENT_WINDOW + MINUTE)
      violations.push(`${call.text} was tagged ${elapsed} ms after the last message`);
    return violations;
  });
}

/** The day's budget of a conversation counts each started send once. */
export function judgeBudgets({ changes }: Evidence): string[] {
  const spent = new Map<string, number>();
  const started = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by);
  for (const { before, after } of changes) {
    if (!after) continue;
    if (after.SK === "B#live") {
      const isSameWindow = before?.dw === after.dw;
      add(spent, after.PK, Number(after.dn ?? 0) - (isSameWindow ? Number(before?.dn ?? 0) : 0));
    }
    // A test key has budgets of its own.
    if (after.SK.startsWith("J#") && !before && !after.z) add(started, after.PK, 1);
  }
  return [...new Set([...spent.keys(), ...started.keys()])].flatMap((name) =>
    (spent.get(name) ?? 0) === (started.get(name) ?? 0)
      ? []
      : [`${name} spent ${spent.get(name) ?? 0} of its budget for ${started.get(name) ?? 0} sends`],
  );
}

function grouped<T>(all: readonly T[], name: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(name(each), [...(groups.get(name(each)) ?? []), each]);
  return groups;
}
