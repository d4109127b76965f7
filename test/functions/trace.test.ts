import { beforeEach, expect, it, vi } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import type { QueueName } from "#base/config/names.ts";
import { ATTEMPTS_MAX, OVERDUE_AFTER } from "#base/kernel/limits.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { currentTraceId, runWithTrace } from "#base/kernel/trace.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { holdSecret } from "#features/holds/rules/holds.ts";
import { newTally } from "#features/stats/count.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { checkPageDoubles, easyChallengeToken, solveChallenge } from "../support/flows/hold-fixture.ts";
import { openedEach } from "../support/opened.ts";
import { startPipeline } from "../support/pipeline.ts";
import { startFlowTable } from "../support/world/flow-table.ts";

// One trace id from the intake or a call of the API to the last work that it causes, through everything that waits.

/** Each log line with the trace id that it is written under. */
const lines: (LogLine & { readonly trace: string | null })[] = [];
const pipeline = openedEach(() =>
  startPipeline({
    startTable: startFlowTable,
    isMetered: false,
    log: (line) => lines.push({ ...line, trace: currentTraceId() }),
  }),
);
const workspace = openedEach(() => freshWorkspace(pipeline));
beforeEach(async () => {
  lines.length = 0;
});

/** The trace ids of the lines of an event, in order. */
const tracesOf = (event: LogLine["event"]) => lines.filter((line) => line.event === event).map(({ trace }) => trace);

const attemptLines = () => lines.flatMap((line) => (line.event === "delivery.attempted" ? [line] : []));

/** Type of event, attempt, verdict and trace ids of each attempt of a delivery, in order. */
const attempts = () =>
  attemptLines().map(({ event_type: type, attempt, verdict, trace, trace_id: logged }) =>
    [type, attempt, verdict, trace, logged].join(" "),
  );

/** Receives a message of a person under a trace id, without the delivery of its event. */
async function receiveMessage(requestId: string): Promise<void> {
  await pipeline.receive(workspace.nextWebhook(0), requestId);
  await pipeline.ingest();
}

/** The next message to this queue is lost. @returns its body */
function loseMessage(queue: QueueName): { readonly body: string } {
  const lost = { body: "" };
  pipeline.sqs.middlewareStack.add(
    (next) => async (args) => {
      const { QueueUrl, MessageBody } = args.input as { QueueUrl?: string; MessageBody?: string };
      if (lost.body !== "" || QueueUrl !== pipeline.queueUrls[queue] || MessageBody === undefined) return next(args);
      lost.body = MessageBody;
      return { output: { MessageId: "lost", $metadata: {} }, response: {} };
    },
    { step: "initialize" },
  );
  return lost;
}

function answerNextSend(send: Platform["send"]): void {
  vi.spyOn(pipeline.apiPorts, "platformFor").mockResolvedValueOnce({ send } as Platform);
}

const call = <T>(method: "POST" | "DELETE", path: string, body: object | undefined, requestId: string) =>
  pipeline.call<T>(workspace.liveKey, method, path, body, requestId);

/** Replays the delivery of the last attempt under a trace id. */
async function replay(requestId: string): Promise<void> {
  const path = `/v1/webhooks/${workspace.endpointIds[0]}/deliveries/${attemptLines().at(-1)?.delivery}/replay?force=true`;
  await call("POST", path, undefined, requestId);
}

it("one trace id follows a webhook from the intake through each wait to the last attempt, and then the request that replays it", async () => {
  pipeline.loopback.respondWith(503);
  await receiveMessage("webhook-1");
  await pipeline.deliver();
  const nextRetryAt = () => attemptLines().at(-1)?.next_retry_at;
  for (let next = nextRetryAt(); next; next = nextRetryAt()) {
    pipeline.advance(Date.parse(next) - pipeline.now() + SECOND);
    await pipeline.sweep();
    await pipeline.retry();
  }
  expect(attempts()).toEqual(
    Array.from({ length: ATTEMPTS_MAX }, (_, i) => {
      const verdict = i + 1 === ATTEMPTS_MAX ? "dlq" : "retrying";
      return `message.received ${i + 1} ${verdict} webhook-1 webhook-1`;
    }),
  );

  pipeline.loopback.respondWith(200);
  await replay("replay-1");
  await pipeline.retry();
  expect(attempts().slice(ATTEMPTS_MAX)).toEqual(["message.received 1 delivered replay-1 replay-1"]);
});

it("one trace id follows a webhook to the profile of its person", async () => {
  await receiveMessage("webhook-2");
  await pipeline.fetchProfiles();
  expect(tracesOf("profile.fetched")).toEqual(["webhook-2"]);
});

it("one trace id follows a webhook to an attempt that was lost and found overdue", async () => {
  pipeline.loopback.respondWith(503);
  await receiveMessage("webhook-3");
  loseMessage("Deliveries");
  await pipeline.deliver();
  pipeline.loopback.respondWith(200);
  pipeline.advance(OVERDUE_AFTER + MINUTE);
  await pipeline.rescheduleOverdue();
  await pipeline.retry();
  expect(attempts()).toEqual([
    "message.received 1 retrying webhook-3 webhook-3",
    "message.received 2 delivered webhook-3 webhook-3",
  ]);
});

it("one trace id follows a replay whose attempt was lost and found overdue", async () => {
  await receiveMessage("webhook-4");
  await pipeline.deliver();
  loseMessage("Deliveries");
  await replay("replay-4");
  pipeline.advance(OVERDUE_AFTER + MINUTE);
  await pipeline.rescheduleOverdue();
  await pipeline.retry();
  expect(attempts()).toEqual([
    "message.received 1 delivered webhook-4 webhook-4",
    "message.received 1 delivered replay-4 replay-4",
  ]);
});

it("one trace id follows a reply that the sweep settles to the event of its failure", async () => {
  await receiveMessage("webhook-5");
  answerNextSend(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
  const reply = { conversation_id: workspace.conversationIdFor(0), text: "Yes." };
  await expect(call("POST", "/v1/messages/reply", reply, "reply-5")).rejects.toThrow("outcome_unknown");
  await pipeline.deliver();
  lines.length = 0;
  pipeline.advance(2 * MINUTE);
  await pipeline.settleSends();
  await pipeline.deliver();
  expect(attempts()).toEqual(["message.failed 1 delivered reply-5 reply-5"]);
});

it("one trace id follows a held message, not the check that releases it, to the event of its send", async () => {
  await receiveMessage("webhook-6");
  await pipeline.deliver();
  pipeline.advance(DAY);
  lines.length = 0;
  const message = { conversation_id: workspace.conversationIdFor(0), text: "Yes.", actor_id: "console:usr_1" };
  const { hold } = await call<{ hold: { id: string; expires_at: string } }>(
    "POST",
    "/v1/messages/human-agent",
    message,
    "hold-6",
  );
  answerNextSend(async () => ({ kind: "accepted", messageId: workspace.newMessageId() }));
  const ports: CheckPagePorts = {
    ...pipeline.apiPorts,
    checkAttempts: pipeline.stores.checkAttempts,
    ...checkPageDoubles,
  };
  const token = easyChallengeToken({ holdId: hold.id, expires: Date.parse(hold.expires_at) });
  const answer = {
    holdId: hold.id,
    secret: holdSecret(await pipeline.apiPorts.holdKeys(), hold.id),
    sourceIp: "203.0.113.7",
    token,
    solutions: solveChallenge(token),
  };
  const checked = await runWithTrace("check-6", () => completeHold(ports, answer, startRequestTime(pipeline.now)));
  expect(checked).toMatchObject({ state: { status: "sent" } });
  await pipeline.deliver();
  expect(tracesOf("send.completed")).toEqual(["hold-6"]);
  expect(attempts()).toEqual(["message.sent 1 delivered hold-6 hold-6"]);
});

const erase = (requestId: string) =>
  call("DELETE", `/v1/conversations/${encodeURIComponent(workspace.conversationIdFor(0))}`, undefined, requestId);

it("one trace id follows an erasure to its last pass", async () => {
  await receiveMessage("webhook-7");
  await erase("erasure-7");
  for (let minute = 0; minute < 5; minute++) {
    pipeline.advance(MINUTE);
    await pipeline.erase();
  }
  expect(tracesOf("erasure.pass_completed")).toEqual(["erasure-7", "erasure-7"]);
});

it("one trace id follows an erasure whose message became a dead letter to its last pass", async () => {
  await receiveMessage("webhook-8");
  const lost = loseMessage("Erasures");
  await erase("erasure-8");
  const message = { queue: "Erasures", messageId: "m-8", sentAt: pipeline.now(), group: null } as const;
  const ports = { ...pipeline.stores, findSourceQueue: () => null, log: () => {} };
  await quarantineDeadLetter(ports, { ...message, ...lost, receives: 10 }, newTally(), pipeline.now());
  pipeline.advance(30 * MINUTE);
  await pipeline.sweep();
  await pipeline.erase();
  expect(tracesOf("erasure.pass_completed")).toEqual(["erasure-8", "erasure-8"]);
});
