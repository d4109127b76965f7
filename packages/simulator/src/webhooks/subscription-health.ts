import type { OutgoingEvent, WebhookObject } from "../world/model.ts";
import { webhookObject } from "../world/platform.ts";
import type { World } from "../world/world.ts";

/** The platform ends a subscription after this time without a webhook answered with 200. */
export const failingMaxMs = 3_600_000;

/** The Pages and Instagram accounts whose subscriptions a body's entries belong to. */
export function subscribedNodes(world: World, object: WebhookObject, body: string): string[] {
  const { entry } = JSON.parse(body) as { entry: { id?: unknown }[] };
  const ids = new Set(entry.map((one) => one?.id));
  const accounts = world.state.accounts.filter(
    (account) => webhookObject(account) === object && ids.has(account.externalId),
  );
  return [...new Set(accounts.map(({ pageId, externalId }) => pageId ?? externalId))];
}

/** Ends the hour of these nodes: a webhook was answered with 200. */
export function recordSuccess(world: World, nodes: readonly string[]): void {
  for (const node of nodes) delete world.state.failing[node];
}

/**
 * Starts the hour of these nodes, or ends the subscriptions whose hour is over: the platform then sends no webhook, and
 * those that wait are lost.
 */
export function recordFailure(world: World, nodes: readonly string[]): void {
  const { state } = world;
  const now = world.now();
  for (const node of nodes) {
    if (state.subscriptions[node] === undefined) continue;
    state.failing[node] ??= now;
    if (now - state.failing[node] < failingMaxMs) continue;
    endSubscription(world, node);
  }
}

/** Ends the subscription of a Page or an Instagram account, as the platform does. Webhooks that wait are lost. */
export function endSubscription(world: World, node: string): void {
  const { state } = world;
  delete state.subscriptions[node];
  delete state.failing[node];
  state.ended[node] = world.now();
  dropWebhooks(world, node);
}

/** The time at which the first of these nodes has failed for an hour; Infinity if none fails. */
export function endTime(world: World, nodes: readonly string[]): number {
  const starts = nodes.map((node) => world.state.failing[node] ?? Number.POSITIVE_INFINITY);
  return Math.min(...starts) + failingMaxMs;
}

/** Subscribes the app to these fields of a Page or an Instagram account. */
export function subscribe(world: World, node: string, fields: string[]): void {
  world.state.subscriptions[node] = fields;
  delete world.state.failing[node];
  delete world.state.ended[node];
}

function dropWebhooks(world: World, node: string): void {
  const { state } = world;
  const lost = state.deliveries.filter((one) => one.nodes.length > 0 && one.nodes.every((id) => id === node));
  state.deliveries = state.deliveries.filter((one) => !lost.includes(one));
  const isOfNode = ({ entryId, object }: OutgoingEvent): boolean =>
    state.accounts.some(
      (account) =>
        account.externalId === entryId && webhookObject(account) === object && (account.pageId ?? entryId) === node,
    );
  const gathering = state.gathering.filter(isOfNode);
  state.gathering = state.gathering.filter((event) => !gathering.includes(event));
  const mids = [...lost.flatMap((one) => one.mids), ...gathering.flatMap(({ mid }) => mid ?? [])];
  world.setWebhookStatus(mids, "lost");
}
