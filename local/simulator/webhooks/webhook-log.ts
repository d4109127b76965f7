import { isFields } from "../http/fields.ts";
import type { Delivery } from "../world/model.ts";
import type { WebhookAnswer } from "./post.ts";

const webhooksMax = 500;
const attemptsMax = 20;

/** One attempt to deliver a webhook. */
interface LoggedAttempt {
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number;
  status: number | null;
  /** Why the attempt failed; null after a 200. */
  problem: string | null;
  /** The beginning of the receiver's answer. */
  body: string;
  duration_ms: number;
}

/** A webhook as it went out, with the receiver's answers. */
export interface LoggedWebhook {
  id: string;
  url: string;
  /** The secret of the app that signed it. */
  secret: Delivery["secret"];
  headers: Record<string, string>;
  /** The exact body. */
  body: string;
  /** The messages that its events belong to. */
  mids: string[];
  /** The newest 20, oldest first. */
  attempts: LoggedAttempt[];
}

/** The newest webhooks of this run, in memory only. */
export class WebhookLog {
  readonly #webhooks = new Map<string, LoggedWebhook>();

  add(id: string, request: Pick<LoggedWebhook, "url" | "secret" | "headers" | "body">): void {
    if (this.#webhooks.has(id)) return;
    this.#webhooks.set(id, { id, ...request, mids: mentionedMids(request.body), attempts: [] });
    if (this.#webhooks.size <= webhooksMax) return;
    const [oldest] = this.#webhooks.keys();
    if (oldest !== undefined) this.#webhooks.delete(oldest);
  }

  addAttempt(id: string, at: number, answer: WebhookAnswer): void {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined) return;
    webhook.attempts.push({
      at,
      status: answer.status,
      problem: answer.status === 200 ? null : (answer.problem ?? `the receiver answered ${answer.status}`),
      body: answer.body,
      duration_ms: answer.durationMs,
    });
    if (webhook.attempts.length > attemptsMax) webhook.attempts.shift();
  }

  /** The webhooks with events of that message, oldest first. */
  ofMessage(mid: string): LoggedWebhook[] {
    return [...this.#webhooks.values()].filter(({ mids }) => mids.includes(mid));
  }

  webhook(id: string): LoggedWebhook | undefined {
    return this.#webhooks.get(id);
  }

  newest(count: number): LoggedWebhook[] {
    return [...this.#webhooks.values()].reverse().slice(0, count);
  }
}

const members = ["message", "postback", "reaction", "message_edit", "read", "delivery"];

/** The ids of the messages that a body's events are about. */
function mentionedMids(body: string): string[] {
  const content: unknown = JSON.parse(body);
  const entries = isFields(content) && Array.isArray(content.entry) ? content.entry.filter(isFields) : [];
  const events = entries.flatMap(({ messaging, standby }) => [messaging, standby].flat()).filter(isFields);
  const parts = events.flatMap((event) => members.map((name) => event[name])).filter(isFields);
  const mids = parts.flatMap(({ mid, mids: several }) => [mid, several].flat());
  return mids.filter((mid) => typeof mid === "string");
}
