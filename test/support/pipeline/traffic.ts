import { createHash, createHmac } from "node:crypto";
import type { Millis } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";

// Traffic with the lengths of real traffic, equal in every run: the cost of an item follows from its length.

/** A webhook as the platform posts it. */
export interface SignedWebhook {
  readonly platform: PlatformName;
  readonly body: string;
  /** The value of `X-Hub-Signature-256`. */
  readonly signature: string;
}

export interface TextTraffic {
  readonly platform: PlatformName;
  readonly accountId: string;
  readonly personId: string;
  readonly messageId: string;
  readonly text: string;
  readonly at: Millis;
  /** True for a message that the account sent. */
  readonly echo?: boolean;
  /** Further members of the message. */
  readonly context?: object;
}

/** 17 digits, like the platforms' IDs. @param kind the first digits, so that accounts and people differ */
export function platformId(kind: string, number: number): string {
  return kind + String(number).padStart(17 - kind.length, "0");
}

/** A message ID in its platform's form: 160 characters on Instagram, 88 on Messenger. */
export function sampleMessageId(platform: PlatformName, accountId: string, number: number, at: Millis): string {
  const digest = createHash("sha512").update(`${platform} ${accountId} ${number} ${at}`).digest();
  if (platform === "messenger") return `m_${digest.toString("base64url")}`;
  const thread = `34028236684171030${String(number).padStart(22, "7")}`;
  const item = (BigInt(at) * 1_000n) << 64n;
  const plain = `ig_dm_item:1:IGMessageID:${accountId}:${thread}:${String(item).padStart(35, "3")}`;
  return Buffer.from(plain).toString("base64").slice(0, 160);
}

/** 120 characters: most messages are shorter. */
export function sampleText(number: number): string {
  return `No. ${number}: do you have this one in size 38, and could it be here before the weekend? `.padEnd(120, "x");
}

/** The webhook of one message, signed with the app's secret. */
export function signedWebhook(traffic: TextTraffic, secret: string): SignedWebhook {
  const { platform, accountId, personId, messageId: mid, text: content, at, echo = false, context = {} } = traffic;
  const [sender, recipient] = echo ? [accountId, personId] : [personId, accountId];
  const message = { mid, text: content, ...(echo ? { is_echo: true } : {}), ...context };
  const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp: at, message }];
  const object = platform === "instagram" ? "instagram" : "page";
  return sign(platform, JSON.stringify({ object, entry: [{ time: at + 300, id: accountId, messaging }] }), secret);
}

/** One webhook with the entries of several of one platform. */
export function joinWebhooks(webhooks: readonly SignedWebhook[], secret: string): SignedWebhook {
  const bodies = webhooks.map(({ body }) => JSON.parse(body) as { object: string; entry: object[] });
  const [first] = webhooks;
  if (!first) throw new Error("There is no webhook to join.");
  const body = { object: bodies[0]?.object, entry: bodies.flatMap(({ entry }) => entry) };
  return sign(first.platform, JSON.stringify(body), secret);
}

function sign(platform: PlatformName, body: string, secret: string): SignedWebhook {
  return { platform, body, signature: `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
}
