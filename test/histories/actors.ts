import { eventTypes } from "../../shared/domain/events/events.ts";
import { holdSecret } from "../../shared/domain/holds/holds.ts";
import { redriveQueue } from "../../shared/flows/dead-letters/redrive.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";
import { DAY, MINUTE } from "../../shared/kernel/time.ts";
import { easyChallengeToken, solveChallenge } from "../shared/flows/support/hold-fixture.ts";
import { queueIds } from "./cloud/aws.ts";
import type { HttpResult } from "./cloud/handlers.ts";
import {
  type ApiAnswer,
  type Erasure,
  type HeldMessage,
  type KnownEndpoint,
  noDeeds,
  type SendRequest,
} from "./deeds.ts";
import { type Step, subscriptions, type TrespassAct } from "./steps.ts";
import { httpEvent } from "./world/http-event.ts";
import type { World } from "./world/open-world.ts";
import { conversationOf, findPerson, NEIGHBOUR, TENANT } from "./world/people.ts";
import { echo, edit, inbound, type PolicyAction, policy, reaction, unsend } from "./world/platform.ts";

interface RequestOptions {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** The secret of the API key; none for the check page. */
  readonly key?: string;
}

/** The people, the agents, the tenants and the operator of a history. */
export function openActors(world: World) {
  const { engine, platform, lambda, keysOf, receivers, redrivePorts } = world;
  const deeds = noDeeds();
  let words = 0;
  const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
  const newText = () => `word-${++words}.`;

  async function request(
    name: "api" | "verify",
    method: string,
    path: string,
    { body, headers, key }: RequestOptions,
  ): Promise<ApiAnswer | null> {
    const event = httpEvent(method, path, {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const end = await lambda.invoke<HttpResult>(name, event);
    if (end.kind !== "returned") return null;
    return { status: end.result.statusCode ?? 0, body: JSON.parse(end.result.body ?? "{}") };
  }

  const liveKey = (person: string) => keysOf(findPerson(person).account.tenant).live;
  const post = (person: string, event: object) => platform.post(findPerson(person).account, event);

  function write(person: string, isEcho: boolean): void {
    const message = { mid: `mid-${deeds.messages.length + 1}`, person, text: newText(), at: engine.now() };
    const webhook = post(person, isEcho ? echo(message) : inbound(message));
    deeds.messages.push({ ...message, isEcho, webhook, editedAt: [], unsentAt: null });
  }

  async function send(
    person: string,
    { kind, scope }: Pick<SendRequest, "kind" | "scope">,
    keyNumber: number | null,
  ): Promise<void> {
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
      scope,
      response: null,
      answeredAt: null,
    };
    deeds.sends.push(sendRequest);
    const route = kind === "reply" ? "reply" : "human-agent";
    const body = { conversation_id: conversationOf(person), text, ...(kind === "hold" ? { actor_id: "agent-1" } : {}) };
    const headers = keyName === null ? {} : { "idempotency-key": keyName };
    const key = keysOf(findPerson(person).account.tenant)[scope];
    sendRequest.response = await request("api", "POST", `/v1/messages/${route}`, { body, headers, key });
    sendRequest.answeredAt = engine.now();
    const id: string | undefined = sendRequest.response?.body.data?.hold?.id;
    if (kind === "hold" && id && !deeds.holds.some((hold) => hold.id === id)) {
      deeds.holds.push({ id, person, text, createdAt: engine.now(), checkedAt: null });
    }
  }

  async function check(hold: HeldMessage): Promise<void> {
    const { holdKeys, challengeKeys } = await world.checkKeys();
    const token = easyChallengeToken({ holdId: hold.id, expires: engine.now() + 9 * MINUTE }, challengeKeys);
    const body = { secret: holdSecret(holdKeys, hold.id), token, solutions: solveChallenge(token) };
    hold.checkedAt ??= engine.now();
    await request("verify", "POST", `/verify/holds/${hold.id}/complete`, { body });
  }

  async function createEndpoint(tenant: TenantId = TENANT): Promise<void> {
    const url = `https://receiver-${deeds.endpoints.length + 1}.example/hook`;
    const askedAt = engine.now();
    const response = await request("api", "POST", "/v1/webhooks", { body: { url }, key: keysOf(tenant).live });
    const id: string | undefined = response?.body.data?.endpoint?.id;
    if (!id) return;
    const createdAt = engine.now();
    const subscription = { askedAt, appliedAt: createdAt, types: eventTypes };
    deeds.endpoints.push({
      id,
      tenant,
      url,
      createdAt,
      status: "active",
      touchedAt: null,
      subscriptions: [subscription],
    });
  }

  async function change(endpoint: KnownEndpoint, act: string): Promise<void> {
    const path = `/v1/webhooks/${endpoint.id}`;
    const key = keysOf(endpoint.tenant).live;
    if (act === "rotate" || act === "test") return void (await request("api", "POST", `${path}/${act}`, { key }));
    if (act === "replay" || act === "replayAll") return replay(endpoint, act);
    endpoint.touchedAt ??= engine.now();
    if (act === "delete") {
      endpoint.status = "deleted";
      return void (await request("api", "DELETE", path, { key }));
    }
    if (act === "move") {
      endpoint.url = `https://moved-${++words}.example/hook`;
      return void (await request("api", "PATCH", path, { body: { url: endpoint.url }, key }));
    }
    const status = act === "pause" ? "paused" : "active";
    await request("api", "PATCH", path, { body: { status }, key });
  }

  async function subscribe(endpoint: KnownEndpoint, to: keyof typeof subscriptions): Promise<void> {
    const subscription = { askedAt: engine.now(), appliedAt: null as number | null, types: subscriptions[to] };
    endpoint.subscriptions.push(subscription);
    const options = { body: { events: subscription.types }, key: keysOf(endpoint.tenant).live };
    const response = await request("api", "PATCH", `/v1/webhooks/${endpoint.id}`, options);
    if (response?.status === 200) subscription.appliedAt = engine.now();
  }

  async function replay(endpoint: KnownEndpoint, act: "replay" | "replayAll"): Promise<void> {
    const path = `/v1/webhooks/${endpoint.id}/deliveries`;
    const key = keysOf(endpoint.tenant).live;
    if (act === "replayAll") {
      const from = new Date(engine.now() - 6 * DAY).toISOString();
      const to = new Date(engine.now()).toISOString();
      const body = { from, to, status: "dlq,failed,blocked" };
      const query = new URLSearchParams(body).toString();
      await request("api", "POST", `${path}/replay?${query}`, { body, key });
      return;
    }
    const latest = receivers.posts.findLast((each) => each.endpointId === endpoint.id);
    if (!latest) return;
    deeds.replayed.add(latest.deliveryId);
    await request("api", "POST", `${path}/${latest.deliveryId}/replay?force=true`, { key });
  }

  function sendPolicy(who: number, action: PolicyAction): void {
    const { account } = findPerson(who);
    const at = engine.now();
    const webhook = platform.post(account, policy(account, action, at));
    deeds.policies.push({ account, action, at, webhook });
  }

  async function read(tenant: TenantId): Promise<void> {
    const askedAt = engine.now();
    const { live: key } = keysOf(tenant);
    const [conversations, messages] = [
      await request("api", "GET", "/v1/conversations", { key }),
      await request("api", "GET", "/v1/messages", { key }),
    ];
    if (conversations?.status !== 200 || messages?.status !== 200) return;
    const toJson = ({ body }: ApiAnswer) => JSON.stringify(body.data);
    deeds.reads.push({ tenant, askedAt, conversations: toJson(conversations), messages: toJson(messages) });
  }

  /** Asks for what is another tenant's with a live key, or erases with a test key. */
  async function trespass(who: number, act: TrespassAct): Promise<void> {
    const { name, account } = findPerson(who);
    const path = `/v1/conversations/${conversationOf(name)}`;
    const victim = account.tenant;
    const stranger = keysOf(victim === TENANT ? NEIGHBOUR : TENANT).live;
    const endpoint = deeds.endpoints.find(({ tenant }) => tenant === victim);
    const webhook = `/v1/webhooks/${endpoint?.id ?? "01J00000000000000000000000"}`;
    const text = newText();
    const requests: Readonly<Record<TrespassAct, () => Promise<ApiAnswer | null>>> = {
      read: () => request("api", "GET", path, { key: stranger }),
      readAs: () => request("api", "GET", `/v1/conversations?tenant=${victim}`, { key: stranger }),
      erase: () => request("api", "DELETE", path, { key: stranger }),
      eraseByTestKey: () => request("api", "DELETE", path, { key: keysOf(victim).test }),
      reply: () => {
        const body = { conversation_id: conversationOf(name), text };
        return request("api", "POST", "/v1/messages/reply", { body, key: stranger });
      },
      update: () => request("api", "PATCH", webhook, { body: { status: "paused" }, key: stranger }),
      delete: () => request("api", "DELETE", webhook, { key: stranger }),
    };
    const response = await requests[act]();
    if (response) deeds.trespasses.push({ name: `${act} of ${name}'s tenant`, response });
  }

  /** Redrives every dead letter, as an operator does. */
  async function redrive(): Promise<void> {
    for (const queue of queueIds)
      for await (const results of redriveQueue(redrivePorts, queue, engine.now)) deeds.redrives.push(...results);
  }

  async function erase(person: string): Promise<void> {
    const erasure: Erasure = { person, at: engine.now(), acceptedAt: null };
    deeds.erasures.push(erasure);
    const response = await request("api", "DELETE", `/v1/conversations/${conversationOf(person)}`, {
      key: liveKey(person),
    });
    if (response && response.status < 300) erasure.acceptedAt = engine.now();
  }

  return {
    deeds,
    createEndpoint,
    redrive,
    /** Does what a step says. Resolves when its actor has the response. */
    async act(step: Step): Promise<void> {
      switch (step.do) {
        case "write":
        case "echo":
          return write(`person-${step.person}`, step.do === "echo");
        case "reply":
          return send(`person-${step.person}`, { kind: "reply", scope: "live" }, step.key ?? null);
        case "testReply":
          return send(`person-${step.person}`, { kind: "reply", scope: "test" }, null);
        case "hold":
          return send(`person-${step.person}`, { kind: "hold", scope: "live" }, null);
        case "policy":
          return sendPolicy(step.person, step.action);
        case "read":
          return read(findPerson(step.person).account.tenant);
        case "trespass":
          return trespass(step.person, step.act);
        case "redrive":
          return redrive();
        case "subscribe": {
          const endpoint = pick(deeds.endpoints, step.endpoint);
          return endpoint && subscribe(endpoint, step.to);
        }
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
          if (step.do === "react") return void post(message.person, reaction({ ...message, at }));
          if (step.do === "edit") {
            message.editedAt.push(at);
            post(message.person, edit({ ...message, text: `${message.text} edited`, at }, message.editedAt.length));
            return;
          }
          message.unsentAt = at;
          post(message.person, unsend({ ...message, at }));
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
