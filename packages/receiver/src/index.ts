export { ParleyError } from "../../client/src/errors.ts";
export type { VerifyOptions, WebhookEvent, WebhookRequest } from "../../client/src/webhook-verifier.ts";
export { verifyWebhook } from "../../client/src/webhook-verifier.ts";
export { type FastifyScope, fastifyPlugin } from "./adapters/fastify.ts";
export { fetchHandler } from "./adapters/fetch.ts";
export { type NodeRequest, type NodeResponse, nodeHandler } from "./adapters/node.ts";
export type { EventHandlers, EventOf, EventType, OtherEvent } from "./events.ts";
export { memoryStore } from "./memory-store.ts";
export {
  createReceiver,
  type Outcome,
  type Receiver,
  type ReceiverOptions,
  type ReceiverRequest,
  type ReceiverResponse,
} from "./receiver.ts";
export type { ClaimState, EventStore } from "./store.ts";
