import type { Context } from "../calls/context.ts";
import { BadInput, type Fields } from "../http/fields.ts";
import type { Call } from "../http/http-server.ts";
import type { LoggedWebhook } from "../world/model.ts";

const listedMax = 50;

/**
 * `GET /webhooks?mid=…`, `?id=…` or neither: the webhooks of a message (oldest first), one webhook, or the newest 50.
 * With `mid`, `call` is the request with which the app sent the message; null if a person or another app did.
 */
export function listWebhooks({ world, deliveries }: Context, _fields: Fields, { query }: Call): unknown {
  const toResponse = (webhook: LoggedWebhook) => ({
    ...webhook,
    next_attempt_at: deliveries.nextAttemptAt(webhook.id),
  });
  const [mid, id] = [query.get("mid"), query.get("id")];
  if (mid !== null) {
    const call = world.state.sent.find((one) => one.mid === mid)?.request ?? null;
    return { webhooks: deliveries.log.ofMessage(mid).map(toResponse), call };
  }
  if (id === null) return { webhooks: deliveries.log.newest(listedMax).map(toResponse) };
  const webhook = deliveries.log.webhook(id);
  if (webhook === undefined) throw new BadInput(`there is no webhook ${id} in the log`);
  return { webhooks: [toResponse(webhook)], call: null };
}

/** `GET /app?mid=…`: what the program that the simulator runs in made of a message; null if it runs alone. */
export async function inspectMessage({ world, deliveries, host }: Context, _fields: Fields, { query }: Call) {
  const mid = query.get("mid") ?? "";
  const message = world.message(mid);
  if (message === undefined) throw new BadInput("mid must be the id of a message");
  const times = deliveries.log.ofMessage(mid).flatMap(({ attempts }) => attempts.map(({ at }) => at));
  const from = Math.min(...times, ...(times.length === 0 ? [message.at] : []));
  const to = Math.max(...times, ...(times.length === 0 ? [message.at] : []));
  return { report: host === undefined ? null : await host.inspect({ mid, from, to }) };
}
