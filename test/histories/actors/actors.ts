import { defaultEventTypes } from "#base/events/events.ts";
import { CHALLENGE_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { connectAccount } from "#features/accounts/flows/connect.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { easyChallengeToken, solveChallenge } from "../../support/flows/hold-fixture.ts";
import {
  type ApiAnswer,
  type ConnectionDeed,
  type Erasure,
  type HeldMessage,
  type KnownEndpoint,
  noDeeds,
  type SendRequest,
} from "../deeds.ts";
import { isAccountStep } from "../steps/account-step.ts";
import { type Step, subscriptions, type TrespassAct } from "../steps/step.ts";
import type { MemberName } from "../world/members.ts";
import type { World } from "../world/open-world.ts";
import { conversationOf, findPerson, NEIGHBOUR, TENANT } from "../world/people.ts";
import { echo, edit, inbound, type PolicyAction, policy, reaction, unsend } from "../world/platform.ts";
import { openAccountActors } from "./account-actors.ts";
import { openOperator } from "./operator.ts";
import { openRequests } from "./requests.ts";
import { openSignedIn } from "./signed-in.ts";
import { openViewers } from "./viewers.ts";

/** The people, the agents, the tenants and the operator of a history. */
export function openActors(world: World) {
  const { engine, platform, keysOf, receivers } = world;
  const deeds = noDeeds();
  const requests = openRequests(world, deeds);
  const signedIn = openSignedIn(world, deeds, requests);
  const operator = openOperator(world, deeds, requests);
  const viewers = openViewers(world, deeds, requests, signedIn);
  const actOnAccounts = openAccountActors(world, deeds, requests);
  const { request } = requests;
  let words = 0;
  const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
  const newText = () => `word-${++words}.`;

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
    { keyNumber, by }: { readonly keyNumber: number | null; readonly by: MemberName | null },
  ): Promise<void> {
    const credential = by ? await signedIn.sessionOf(by) : keysOf(findPerson(person).account.tenant)[scope];
    if (!credential) return;
    // A repeated key comes with the same request.
    const keyName = keyNumber === null ? null : `key-${kind}-${person}-${keyNumber}${by ?? ""}`;
    const earlier = deeds.sends.find((each) => keyName !== null && each.key === keyName);
    const text = earlier?.text ?? newText();
    const sendRequest: SendRequest = {
      person,
      text,
      key: keyName,
      at: engine.now(),
      kind,
      scope,
      by,
      response: null,
      answeredAt: null,
    };
    deeds.sends.push(sendRequest);
    const route = kind === "reply" ? "reply" : "human-agent";
    const actorId = by ? `console:${world.userIds[by]}` : "agent-1";
    const body = { conversation_id: conversationOf(person), text, ...(kind === "hold" ? { actor_id: actorId } : {}) };
    const headers = keyName === null ? {} : { "idempotency-key": keyName };
    const options = { body, headers, credential, text };
    sendRequest.response = await request("api", "POST", `/v1/messages/${route}`, options);
    sendRequest.answeredAt = engine.now();
    const { id, verify_url: url }: { id?: string; verify_url?: string } = sendRequest.response?.body.data?.hold ?? {};
    if (id && url && !deeds.holds.some((hold) => hold.id === id)) {
      const secret = url.split("#t=")[1] ?? "";
      deeds.holds.push({ id, secret, person, text, createdAt: engine.now(), checkedAt: null });
    }
  }

  /** A person has opened the link at once, and solves the challenge of then as long as it is valid. */
  async function check(hold: HeldMessage): Promise<void> {
    const at = engine.now();
    const challengedAt = at < hold.createdAt + CHALLENGE_LIFETIME ? hold.createdAt : at;
    const challenge = { holdId: hold.id, expires: challengedAt + CHALLENGE_LIFETIME };
    const token = easyChallengeToken(challenge);
    const body = { secret: hold.secret, token, solutions: solveChallenge(token) };
    hold.checkedAt ??= at;
    const response = await request("checkPage", "POST", `/verify/holds/${hold.id}/complete`, { body });
    deeds.checks.push({ hold, challengedAt, at, response });
  }

  async function createEndpoint(tenant: TenantId = TENANT): Promise<void> {
    const url = `https://receiver-${deeds.endpoints.length + 1}.example/hook`;
    const askedAt = engine.now();
    const response = await request("api", "POST", "/v1/webhooks", { body: { url }, credential: keysOf(tenant).live });
    const id: string | undefined = response?.body.data?.endpoint?.id;
    if (!id) return;
    const createdAt = engine.now();
    const subscription = { askedAt, appliedAt: createdAt, types: defaultEventTypes };
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
    const credential = keysOf(endpoint.tenant).live;
    if (act === "rotate" || act === "test")
      return void (await request("api", "POST", `${path}/${act}`, { credential }));
    if (act === "replay" || act === "replayAll") return replay(endpoint, act);
    endpoint.touchedAt ??= engine.now();
    if (act === "delete") {
      endpoint.status = "deleted";
      return void (await request("api", "DELETE", path, { credential }));
    }
    if (act === "move") {
      endpoint.url = `https://moved-${++words}.example/hook`;
      return void (await request("api", "PATCH", path, { body: { url: endpoint.url }, credential }));
    }
    const status = act === "pause" ? "paused" : "active";
    await request("api", "PATCH", path, { body: { status }, credential });
  }

  async function subscribe(endpoint: KnownEndpoint, to: keyof typeof subscriptions): Promise<void> {
    const subscription = { askedAt: engine.now(), appliedAt: null as number | null, types: subscriptions[to] };
    endpoint.subscriptions.push(subscription);
    const options = { body: { events: subscription.types }, credential: keysOf(endpoint.tenant).live };
    const response = await request("api", "PATCH", `/v1/webhooks/${endpoint.id}`, options);
    if (response?.status === 200) subscription.appliedAt = engine.now();
  }

  async function replay(endpoint: KnownEndpoint, act: "replay" | "replayAll"): Promise<void> {
    const path = `/v1/webhooks/${endpoint.id}/deliveries`;
    const credential = keysOf(endpoint.tenant).live;
    if (act === "replayAll") {
      const from = new Date(engine.now() - 6 * DAY).toISOString();
      const to = new Date(engine.now()).toISOString();
      const body = { from, to, status: "dlq,failed,blocked" };
      const query = new URLSearchParams(body).toString();
      await request("api", "POST", `${path}/replay?${query}`, { body, credential });
      return;
    }
    const latest = receivers.posts.findLast((each) => each.endpointId === endpoint.id);
    if (!latest) return;
    deeds.replayed.add(latest.deliveryId);
    await request("api", "POST", `${path}/${latest.deliveryId}/replay?force=true`, { credential });
  }

  function sendPolicy(who: number, action: PolicyAction): void {
    const { account } = findPerson(who);
    const at = engine.now();
    const webhook = platform.post(account, policy(account, action, at));
    deeds.policies.push({ account, action, at, webhook });
  }

  async function read(tenant: TenantId): Promise<void> {
    const askedAt = engine.now();
    const { live: credential } = keysOf(tenant);
    const [conversations, messages] = [
      await request("api", "GET", "/v1/conversations", { credential }),
      await request("api", "GET", "/v1/messages", { credential }),
    ];
    if (conversations?.status !== 200 || messages?.status !== 200) return;
    const toJson = ({ body }: ApiAnswer) => JSON.stringify(body.data);
    deeds.reads.push({ tenant, askedAt, conversations: toJson(conversations), messages: toJson(messages) });
  }

  const walks = new Map<TenantId, { readonly cursor: string; readonly at: number }>();

  /** Reads the next message of a tenant's, newest first; the newest one after the last. */
  async function readPage(tenant: TenantId): Promise<void> {
    const walk = walks.get(tenant);
    const at = engine.now();
    const cursor = walk ? `&cursor=${walk.cursor}` : "";
    const response = await request("api", "GET", `/v1/messages?limit=1${cursor}`, { credential: keysOf(tenant).live });
    if (walk && response) deeds.pages.push({ tenant, cursorAt: walk.at, at, response });
    if (response?.status !== 200) return;
    const next: string | null = response.body.data.next_cursor;
    if (next) walks.set(tenant, { cursor: next, at });
    else walks.delete(tenant);
  }

  /** A member reads the inbox. */
  async function readAs(member: MemberName): Promise<void> {
    const credential = await signedIn.sessionOf(member);
    if (credential) await request("api", "GET", `/v1/conversations?tenant=${TENANT}`, { credential });
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
      read: () => request("api", "GET", path, { credential: stranger }),
      readAs: () => request("api", "GET", `/v1/conversations?tenant=${victim}`, { credential: stranger }),
      erase: () => request("api", "DELETE", path, { credential: stranger }),
      eraseByTestKey: () => request("api", "DELETE", path, { credential: keysOf(victim).test }),
      reply: () => {
        const body = { conversation_id: conversationOf(name), text };
        return request("api", "POST", "/v1/messages/reply", { body, credential: stranger });
      },
      update: () => request("api", "PATCH", webhook, { body: { status: "paused" }, credential: stranger }),
      delete: () => request("api", "DELETE", webhook, { credential: stranger }),
    };
    const response = await requests[act]();
    if (response) deeds.trespasses.push({ name: `${act} of ${name}'s tenant`, response });
  }

  async function erase(person: string): Promise<void> {
    const erasure: Erasure = { person, at: engine.now(), acceptedAt: null };
    deeds.erasures.push(erasure);
    const response = await request("api", "DELETE", `/v1/conversations/${conversationOf(person)}`, {
      credential: liveKey(person),
    });
    if (response && response.status < 300) erasure.acceptedAt = engine.now();
  }

  /** A login connects the account, or a client disconnects it. */
  async function changeConnection(who: number, to: ConnectionDeed["to"]): Promise<void> {
    const { account } = findPerson(who);
    const { tenant, ...ref } = account;
    const deed: ConnectionDeed = { account, to, askedAt: engine.now(), endedAt: null, isDone: false };
    deeds.connections.push(deed);
    if (to === "gone") {
      const path = `/v1/accounts/${accountKey(ref)}`;
      const response = await request("api", "DELETE", path, { credential: keysOf(tenant).live });
      deed.isDone = response?.status === 200;
    } else {
      const isPage = ref.platform === "messenger";
      const connected = {
        ...ref,
        connection: isPage ? "messenger" : "instagram_login",
        handle: "@shop",
        displayName: "Shop",
        pageId: isPage ? ref.externalId : null,
      } as const;
      const result = await connectAccount(
        { ...world.admin, accountsMax: 500 },
        {
          tenant,
          account: connected,
          token: "a new token",
          tokenExpiresAt: null,
          authorizedBy: ["1"],
          author: { actor: "cli" },
        },
        { now: engine.now, endsAt: engine.now() + MINUTE },
      ).catch(() => null);
      deed.isDone = result !== null && !isRefusal(result);
    }
    deed.endedAt = engine.now();
  }

  return {
    deeds,
    createEndpoint,
    redrive: operator.redrive,
    /** Does what a step says. Resolves when its actor has the response. */
    async act(step: Step): Promise<void> {
      if (isAccountStep(step)) return actOnAccounts(step);
      switch (step.do) {
        case "write":
        case "echo":
          return write(`person-${step.person}`, step.do === "echo");
        case "reply":
          return send(
            `person-${step.person}`,
            { kind: "reply", scope: "live" },
            { keyNumber: step.key ?? null, by: step.by ?? null },
          );
        case "testReply":
          return send(`person-${step.person}`, { kind: "reply", scope: "test" }, { keyNumber: null, by: null });
        case "hold":
          return send(
            `person-${step.person}`,
            { kind: "hold", scope: "live" },
            { keyNumber: null, by: step.by ?? null },
          );
        case "policy":
          return sendPolicy(step.person, step.action);
        case "read":
          return step.by ? readAs(step.by) : read(findPerson(step.person).account.tenant);
        case "page":
          return readPage(findPerson(step.person).account.tenant);
        case "suspendTenant":
          return operator.setStatus(findPerson(step.person).account.tenant, "suspended");
        case "resumeTenant":
          return operator.setStatus(findPerson(step.person).account.tenant, "active");
        case "connect":
          return changeConnection(step.person, "connected");
        case "disconnect":
          return changeConnection(step.person, "gone");
        case "deleteTenant":
          return operator.deleteTenant(NEIGHBOUR, step.dies);
        case "rotateRoot":
          return operator.rotateRoot();
        case "removeAgent":
          return signedIn.removeAgent();
        case "inviteAgent":
          return signedIn.inviteAgent();
        case "watch":
          return viewers.watch(findPerson(step.person).account.tenant, step.by ?? null);
        case "leave":
          return viewers.leave(step.viewer, step.isReported);
        case "revokeKey":
          return viewers.revokeKey(findPerson(step.person).account.tenant);
        case "trespass":
          return trespass(step.person, step.act);
        case "redrive":
          return operator.redrive();
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
