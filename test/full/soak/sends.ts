import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { ApiResponse } from "../../e2e/support/api-response.ts";
import type { KilledStack } from "./killed-stack.ts";
import type { Ledger, SendRequest, SendResponse } from "./ledger.ts";
import type { Platform } from "./platform.ts";
import type { Random } from "./random.ts";

/** What an agent works with. */
export interface Agent {
  readonly stack: KilledStack;
  readonly platform: Platform;
  readonly ledger: Ledger;
  readonly random: Random;
  /** True once no new work may start. */
  readonly isOver: () => boolean;
}

const TRIES_MAX = 40;
const platformFaults = [
  "reset_before_accept",
  "reset_after_accept",
  "hang_after_accept",
  "echo_first",
  "5xx",
  "malformed_json",
  "person_unavailable",
] as const;

/** Replies to a person, and repeats the request with its idempotency key until it has an answer. */
export async function reply(agent: Agent, person: string): Promise<void> {
  const { random, platform } = agent;
  if (random.chance(0.2)) await platform.control("POST", "/faults", { mode: random.pick(platformFaults), for: 1 });
  const send = newSend(agent, person, "reply");
  await repeat(agent, send, "/v1/messages/reply");
}

/** Holds a message and completes its check. */
export async function sendHeld(agent: Agent, person: string): Promise<void> {
  const send = newSend(agent, person, "hold");
  const created = await repeat(agent, send, "/v1/messages/human-agent");
  const hold = (created?.body.data as { hold?: { id: string; verify_url: string } } | undefined)?.hold;
  if (!hold) return;
  const secret = hold.verify_url.split("#t=")[1] ?? "";
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const path = `/verify/holds/${hold.id}`;
    const challenge = await agent.stack.request("POST", `${path}/challenge`, { body: { secret }, isPublic: true });
    if (challenge?.status === 200) {
      const { token } = challenge.body.data as unknown as { token: string };
      const body = { secret, token, solutions: await solve(token) };
      const completed = await agent.stack.request("POST", `${path}/complete`, { body, isPublic: true });
      if (completed?.status === 200) return void send.responses.push(toCheckResponse(completed));
      // The check was passed, and its response was lost.
      if (completed?.status === 409) return;
    } else if (challenge && challenge.status < 500) return;
    await wait(agent.random.between(300, 1_500));
  }
}

function newSend({ ledger }: Agent, person: string, kind: SendRequest["kind"]): SendRequest {
  const send = { person, kind, text: `${kind} ${randomUUID()}`, requestedAt: Date.now(), responses: [] };
  ledger.sends.push(send);
  return send;
}

/** Repeats a request with one key until it has an answer that is not a fault. Some repetitions run at the same time. */
async function repeat(agent: Agent, send: SendRequest, path: string): Promise<ApiResponse | null> {
  const { stack, ledger, random } = agent;
  const conversationId = ledger.people.get(send.person)?.conversationId;
  const options = {
    body: { conversation_id: conversationId, text: send.text, ...(send.kind === "hold" ? { actor_id: "ann" } : {}) },
    headers: { "idempotency-key": randomUUID() },
  };
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const copies = random.chance(0.1) ? 2 : 1;
    const countCalls = () => ledger.platformCalls.filter(({ text }) => text === send.text).length;
    const callsBefore = countCalls();
    const responses = await Promise.all(Array.from({ length: copies }, () => stack.request("POST", path, options)));
    const calls = countCalls() - callsBefore;
    for (const response of responses) {
      if (response) send.responses.push({ ...toSendResponse(response), callsDuring: copies === 1 ? calls : null });
    }
    const answer = responses.find((response) => response && isAnswer(response));
    if (answer) return answer;
    await wait(random.between(300, 1_500));
  }
  return null;
}

/** Whether a response answers the request: no fault, and no request with the same key in progress. */
function isAnswer({ status, body }: ApiResponse): boolean {
  return status < 500 ? body?.error?.code !== "idempotency_conflict" : status === 502 && body?.error !== undefined;
}

function toSendResponse({ status, body }: ApiResponse): Omit<SendResponse, "callsDuring"> {
  const { code = null, detail = null } = body?.error ?? {};
  return { status, messageId: body?.data?.platform_message_id ?? null, code, detail };
}

/** The response to a completed check, as that of a reply. */
function toCheckResponse({ body }: ApiResponse): SendResponse {
  const { hold } = body.data as unknown as {
    hold: { status: string; platform_message_id?: string | null; error?: { code: string; detail: string | null } };
  };
  const { status, platform_message_id: messageId = null, error } = hold;
  if (status !== "failed") return { status: 200, messageId, code: null, detail: null, callsDuring: null };
  return { status: 502, messageId: null, code: error?.code ?? null, detail: error?.detail ?? null, callsDuring: null };
}

async function solve(token: string): Promise<number[]> {
  const worker = new Worker(new URL("./solve-worker.ts", import.meta.url), { workerData: token });
  return await new Promise<number[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
