import { isFields } from "../http/fields.ts";
import type { LoggedWebhook } from "../world/model.ts";
import type { WebhookAnswer } from "./post.ts";

const webhooksMax = 500;
/** The state is written with every change, so it has fewer. */
const storedMax = 100;
const bodyCharsMax = 256_000;
/** A body that is larger would slow down every write of the state. */
const storedCharsMax = 16_000;
const attemptsMax = 20;

/** The newest webhooks with their attempts. Those in `stored` survive a restart. */
export class WebhookLog {
  readonly #webhooks: Map<string, LoggedWebhook>;
  readonly #stored: LoggedWebhook[];

  /** `stored` is a part of the state: the log adds to it, and removes the oldest. */
  constructor(stored: LoggedWebhook[]) {
    this.#stored = stored;
    this.#webhooks = new Map(stored.map((webhook) => [webhook.id, webhook]));
  }

  add(id: string, request: Pick<LoggedWebhook, "url" | "secret" | "headers" | "body" | "copy_of">): void {
    if (this.#webhooks.has(id) || request.body.length > bodyCharsMax) return;
    const webhook = { id, ...request, mids: mentionedMids(request.body), attempts: [] };
    this.#webhooks.set(id, webhook);
    if (request.body.length <= storedCharsMax) this.#stored.push(webhook);
    if (this.#stored.length > storedMax) this.#stored.shift();
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
