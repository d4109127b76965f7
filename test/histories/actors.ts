import { holdSecret } from "../../shared/domain/holds/holds.ts";
import { conversationId } from "../../shared/domain/inbox/conversations.ts";
import { MINUTE, type Millis } from "../../shared/kernel/time.ts";
import { easyChallengeToken, solveChallenge } from "../shared/flows/support/hold-fixture.ts";
import type { HttpResult } from "./cloud/handlers.ts";
import type { Step } from "./steps.ts";
import { httpEvent } from "./world/http-event.ts";
import { TENANT, type World } from "./world/open-world.ts";
import { ACCOUNT, echo, edit, inbound, reaction, unsend } from "./world/platform.ts";

/** A message of a person or of the account's native app. */
export interface WrittenMessage {
  readonly mid: string;
  readonly person: string;
  readonly text: string;
  readonly at: Millis;
  readonly isEcho: boolean;
  /** The number of its webhook. */
  readonly webhook: number;
  edits: number;
  lastEditAt: Millis | null;
  unsentAt: Millis | null;
}

/** A request to send, and its response; null without one. */
export interface SendRequest {
  readonly person: string;
  readonly text: string;
  readonly key: string | null;
  readonly at: Millis;
  readonly kind: "reply" | "hold";
  response: ApiAnswer | null;
  answeredAt: Millis | null;
}

export interface HeldMessage {
  readonly id: string;
  readonly person: string;
  readonly text: string;
  readonly createdAt: Millis;
  /** When its check was completed: the request began then. */
  checkedAt: Millis | null;
}

export interface KnownEndpoint {
  readonly id: string;
  url: string;
  /** When the response to its creation came. */
  readonly createdAt: Millis;
  status: "active" | "paused" | "deleted";
  /** When somebody first asked to change it; null for an endpoint that nobody touched. */
  touchedAt: Millis | null;
}

export interface Erasure {
  readonly person: string;
  readonly at: Millis;
  /** When a response said that it had started or was done; null without one. */
  acceptedAt: Millis | null;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

/** Everything that the actors did, and what they were answered. */
export interface Deeds {
  readonly messages: WrittenMessage[];
  readonly sends: SendRequest[];
  readonly holds: HeldMessage[];
  readonly endpoints: KnownEndpoint[];
  readonly erasures: Erasure[];
  /** Deliveries that somebody asked to replay. */
  readonly replayed: Set<string>;
}

/** The people, the agents and the tenant of a history. */
export function openActors(world: World) {
  const { engine, platform, lambda, key, receivers } = world;
  const deeds: Deeds = { messages: [], sends: [], holds: [], endpoints: [], erasures: [], replayed: new Set() };
  let words = 0;
  const conversation = (person: string) =>
    conversationId({ tenant: TENANT, account: { platform: "instagram", externalId: ACCOUNT }, participantId: person });
  const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
  const newText = () => `word-${++words}.`;

  async function request(
    name: "api" | "verify",
    method: string,
    path: string,
    options: { readonly body?: object; readonly headers?: Record<string, string> } = {},
  ): Promise<ApiAnswer | null> {
    const event = httpEvent(method, path, {
      headers: { ...(name === "api" ? { authorization: `Bearer ${key}` } : {}), ...options.headers },
      ...(options.body ? { body: JSON.stringify(options.body) } : {}),
    });
    const end = await lambda.invoke<HttpResult>(name, event);
    if (end.kind !== "returned") return null;
    return { status: end.result.statusCode ?? 0, body: JSON.parse(end.result.body ?? "{}") };
  }

  function write(person: string, isEcho: boolean): void {
    const message = { mid: `mid-${deeds.messages.length + 1}`, person, text: newText(), at: engine.now() };
    const webhook = platform.post([isEcho ? echo(message) : inbound(message)]);
    deeds.messages.push({ ...message, isEcho, webhook, edits: 0, lastEditAt: null, unsentAt: null });
  }

  async function send(person: string, kind: SendRequest["kind"], keyNumber: number | null): Promise<void> {
    // A repeated key comes with the same request.
    const keyName = keyNumber === null ? null : `key-${kind}-${person}-${keyNumber}`;
    const earlier = deeds.sends.find((each) => keyName !== null && each.key === keyName);
    const text = earlier?.text ?? newText();
    const sendRequest: SendRequest = {
      person,
      text,
      key: keyName,
      at: engine.now(),
      kind,
      response: null,
      answeredAt: null,
    };
    deeds.sends.push(sendRequest);
    const route = kind === "reply" ? "reply" : "human-agent";
    const body = { conversation_id: conversation(person), text, ...(kind === "hold" ? { actor_id: "agent-1" } : {}) };
    const headers = keyName === null ? {} : { "idempotency-key": keyName };
    sendRequest.response = await request("api", "POST", `/v1/messages/${route}`, { body, headers });
    sendRequest.answeredAt = engine.now();
    const id: string | undefined = sendRequest.response?.body.data?.hold?.id;
    if (kind === "hold" && id && !deeds.holds.some((hold) => hold.id === id)) {
      deeds.holds.push({ id, person, text, createdAt: engine.now(), checkedAt: null });
    }
  }

  async function check(hold: HeldMessage): Promise<void> {
    const { holdKey, challengeKey } = await world.checkKeys();
    const token = easyChallengeToken({ holdId: hold.id, expires: engine.now() + 9 * MINUTE }, challengeKey);
    const body = { secret: holdSecret(holdKey, hold.id), token, solutions: solveChallenge(token) };
    hold.checkedAt ??= engine.now();
    await request("verify", "POST", `/verify/holds/${hold.id}/complete`, { body });
  }

  async function createEndpoint(): Promise<void> {
    const url = `https://receiver-${deeds.endpoints.length + 1}.example/hook`;
    const response = await request("api", "POST", "/v1/webhooks", { body: { url } });
    const id: string | undefined = response?.body.data?.endpoint?.id;
    if (id) deeds.endpoints.push({ id, url, createdAt: engine.now(), status: "active", touchedAt: null });
  }

  async function change(endpoint: KnownEndpoint, act: string): Promise<void> {
    const path = `/v1/webhooks/${endpoint.id}`;
    if (act === "rotate" || act === "test") return void (await request("api", "POST", `${path}/${act}`));
    if (act === "replay" || act === "replayAll") return replay(endpoint, act);
    endpoint.touchedAt ??= engine.now();
    if (act === "delete") {
      endpoint.status = "deleted";
      return void (await request("api", "DELETE", path));
    }
    if (act === "move") {
      endpoint.url = `https://moved-${++words}.example/hook`;
      return void (await request("api", "PATCH", path, { body: { url: endpoint.url } }));
    }
    const status = act === "pause" ? "paused" : "active";
    await request("api", "PATCH", path, { body: { status } });
  }

  async function replay(endpoint: KnownEndpoint, act: "replay" | "replayAll"): Promise<void> {
    const path = `/v1/webhooks/${endpoint.id}/deliveries`;
    if (act === "replayAll") {
      const from = new Date(engine.now() - 6 * 24 * 60 * MINUTE).toISOString();
      const to = new Date(engine.now()).toISOString();
      const body = { from, to, status: "dlq,failed,blocked" };
      const query = new URLSearchParams(body).toString();
      await request("api", "POST", `${path}/replay?${query}`, { body });
      return;
    }
    const post = receivers.posts.findLast((each) => each.endpointId === endpoint.id);
    if (!post) return;
    deeds.replayed.add(post.deliveryId);
    await request("api", "POST", `${path}/${post.deliveryId}/replay?force=true`);
  }

  async function erase(person: string): Promise<void> {
    const erasure: Erasure = { person, at: engine.now(), acceptedAt: null };
    deeds.erasures.push(erasure);
    const response = await request("api", "DELETE", `/v1/conversations/${conversation(person)}`);
    if (response && response.status < 300) erasure.acceptedAt = engine.now();
  }

  return {
    deeds,
    request,
    conversation,
    createEndpoint,
    /** Does what a step says. Resolves when its actor has the response. */
    async act(step: Step): Promise<void> {
      switch (step.do) {
        case "write":
        case "echo":
          return write(`person-${step.person}`, step.do === "echo");
        case "reply":
          return send(`person-${step.person}`, "reply", step.key ?? null);
        case "hold":
          return send(`person-${step.person}`, "hold", null);
        case "erase":
          return erase(`person-${step.person}`);
        case "edit":
        case "unsend":
        case "react": {
          const message = pick(
            deeds.messages.filter(({ isEcho, unsentAt }) => !isEcho && unsentAt === null),
            step.message,
          );
          if (!message) return;
          const at = engine.now();
          if (step.do === "react") return void platform.post([reaction({ ...message, at })]);
          if (step.do === "edit") {
            message.edits++;
            message.lastEditAt = at;
            platform.post([edit({ ...message, text: `${message.text} edited`, at }, message.edits)]);
            return;
          }
          message.unsentAt = at;
          platform.post([unsend({ ...message, at })]);
          return;
        }
        case "check": {
          const hold = pick(deeds.holds.toReversed(), step.hold);
          return hold && check(hold);
        }
        case "create":
          return createEndpoint();
        case "pause":
        case "resume":
        case "move":
        case "delete":
        case "rotate":
        case "test":
        case "replay":
        case "replayAll": {
          const endpoint = pick(deeds.endpoints, step.endpoint);
          return endpoint && change(endpoint, step.do);
        }
        default:
          throw new Error(`${step.do} is not a deed of an actor.`);
      }
    },
  };
}
