import { createHmac } from "node:crypto";
import { SECOND } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import type { CompletedLogin } from "../cloud/handlers.ts";
import { PLATFORM_SECRET } from "../cloud/secrets.ts";
import type { CustomerErasure, Deeds, Login, PlatformCallback, Writing } from "../deeds.ts";
import type { AccountStep } from "../steps/account-step.ts";
import { type CastAccount, type Customer, castAccounts, customers, holders, logins } from "../world/account-cast.ts";
import type { World } from "../world/open-world.ts";
import { toEvent } from "../world/page-platform.ts";
import type { Requests } from "./requests.ts";

type Composed = Omit<Writing, "webhook" | "isUnstorable">;

/** The people who connect accounts and write to them, and the platform that speaks for them. */
export function openAccountActors(world: World, deeds: Deeds, { request }: Requests) {
  const { engine, lambda, platform, pagePlatform, troubles, outages, keysOf } = world;
  let words = 0;

  function compose(customer: Customer, { isEcho = false, age = 0 } = {}): Composed {
    words++;
    return { mid: `mid-${words}`, customer, text: `word-${words}.`, at: engine.now() - age, isEcho };
  }

  const isPosted = ({ isSkipped, account }: Customer) => !isSkipped && pagePlatform.isSubscribed(account);

  /** The platform keeps the messages, and posts those whose webhooks somebody is subscribed to as one webhook. */
  function write(messages: readonly Composed[], isFirstUnstorable = false): void {
    const events = messages.map((message) => {
      const { mid, text, at, isEcho, customer } = message;
      const { externalId } = customer.account;
      const stored = { mid, externalId, customer: customer.id, text, at, isEcho };
      pagePlatform.messages.push(stored);
      return { message, isPosted: isPosted(customer), externalId, event: { ...toEvent(stored), timestamp: at } };
    });
    const posted = events.filter((each) => each.isPosted);
    const [first] = messages;
    if (!first) return;
    const unstorable = isFirstUnstorable ? first.text : null;
    if (unstorable !== null) troubles.unstorable.push(unstorable);
    const webhook = posted.length > 0 ? platform.postAll(first.customer.account.platform, posted) : null;
    for (const { message, isPosted: hasWebhook } of events)
      deeds.writings.push({
        ...message,
        webhook: hasWebhook ? webhook : null,
        isUnstorable: message.text === unstorable,
      });
  }

  /** A webhook with a message of every customer of a platform. */
  function writeMany(platformName: CastAccount["platform"], isFirstUnstorable: boolean): void {
    const all = customers.filter(({ account }) => account.platform === platformName);
    write(
      all.map((customer) => compose(customer)),
      isFirstUnstorable,
    );
  }

  async function connect(account: CastAccount, tenant: Login["tenant"], login: string): Promise<void> {
    const deed: Login = { account, tenant, login, askedAt: engine.now(), endedAt: null };
    deeds.logins.push(deed);
    const { connection, pageId, platform: name, externalId } = account;
    const event: CompletedLogin = {
      connection: {
        tenant,
        account: { platform: name, externalId, connection, pageId, handle: "@shop", displayName: "Shop" },
        token: pagePlatform.newToken(login),
        tokenExpiresAt: null,
        authorizedBy: [login],
        author: { actor: "cli" },
      },
    };
    await lambda.invoke("connect", event);
    deed.endedAt = engine.now();
  }

  /** Each tenant asks: only the one that has the account may disconnect it. */
  async function disconnect(account: CastAccount): Promise<void> {
    for (const tenant of holders)
      await request("api", "DELETE", `/v1/accounts/${accountKey(account)}`, { credential: keysOf(tenant).live });
  }

  async function askFor(kind: PlatformCallback["kind"], login: string): Promise<void> {
    const callback: PlatformCallback = { kind, login, at: engine.now(), response: null };
    deeds.platformCallbacks.push(callback);
    // The person has removed the app.
    pagePlatform.endLogin(login);
    const end = await lambda.request("connect", {
      method: "POST",
      path: `/platform/${kind}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `signed_request=${signedRequest(login, engine.now())}`,
    });
    if (end.kind !== "returned") return;
    callback.response = { status: end.result.statusCode ?? 0, body: JSON.parse(end.result.body ?? "{}") };
  }

  async function erase(customer: Customer): Promise<void> {
    const { account, id: participantId } = customer;
    for (const tenant of holders) {
      const erasure: CustomerErasure = { customer, tenant, at: engine.now(), isAccepted: false };
      deeds.customerErasures.push(erasure);
      const path = `/v1/conversations/${conversationId({ tenant, account, participantId })}`;
      const response = await request("api", "DELETE", path, { credential: keysOf(tenant).live });
      erasure.isAccepted = response !== null && response.status < 300;
    }
  }

  const customerOf = (step: { readonly customer: number }) => at(customers, step.customer);
  const accountOf = (step: { readonly account: number }) => at(castAccounts, step.account);
  const loginOf = (step: { readonly login: number }) => at(logins, step.login);

  /** Does what a step says. Resolves when its actor has the response. */
  return async (step: AccountStep): Promise<void> => {
    switch (step.do) {
      case "customerWrites":
      case "accountWrites":
        return write([compose(customerOf(step), { isEcho: step.do === "accountWrites" })]);
      case "lateWebhook":
        // A message that no webhook brings is in the history from its time on.
        if (isPosted(customerOf(step))) write([compose(customerOf(step), { age: step.age })]);
        return;
      case "manyWrite":
        return writeMany(step.platform, step.isFirstUnstorable);
      case "connectAccount":
        return connect(accountOf(step), at(holders, step.tenant), loginOf(step));
      case "disconnectAccount":
        return disconnect(accountOf(step));
      case "deauthorize":
        return askFor("deauthorize", loginOf(step));
      case "deleteData":
        return askFor("data-deletion", loginOf(step));
      case "loseSubscription":
        return pagePlatform.endSubscription(accountOf(step));
      case "limitHistory":
        pagePlatform.limitedUntil = engine.now() + step.millis;
        return;
      case "outage":
        return outages.begin(step.service, step.millis);
      case "eraseCustomer":
        return erase(customerOf(step));
    }
  };
}

/** A number beyond the last one starts over at the first. */
function at<T>(all: readonly T[], index: number): T {
  return all[index % all.length] as T;
}

/** A request that the platform signed with the app's secret. */
function signedRequest(userId: string, now: number): string {
  const issuedAt = Math.floor(now / SECOND);
  const payload = Buffer.from(JSON.stringify({ algorithm: "HMAC-SHA256", user_id: userId, issued_at: issuedAt }));
  const text = payload.toString("base64url");
  return `${createHmac("sha256", PLATFORM_SECRET).update(text).digest("base64url")}.${text}`;
}
