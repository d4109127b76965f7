import { createHmac, randomBytes } from "node:crypto";
import type { ApiResponse } from "./api-response.ts";
import type { LocalStack } from "./local-stack.ts";

export type PlatformObject = "instagram" | "page";
export type Signer = "instagram" | "meta";
export type JsonObject = Record<string, unknown>;

/** One entry of a webhook. */
export interface Entry {
  readonly time: number;
  readonly id: string;
  readonly messaging?: readonly JsonObject[];
  readonly standby?: readonly JsonObject[];
  readonly changes?: readonly JsonObject[];
}

/** A webhook's bytes as the platforms send them: every character beyond ASCII is \u and four lowercase hex digits. */
export function wireBytes(object: PlatformObject, entry: readonly Entry[]): Buffer {
  const json = JSON.stringify({ object, entry });
  const unicode = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return Buffer.from(json.replace(/[^\0-\x7f]/g, unicode), "ascii");
}

export function hubSignature(bytes: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}

/** Posts bytes to a platform's webhook URL, signed with the secret of the sending app. */
export function postSigned(
  stack: LocalStack,
  object: PlatformObject,
  bytes: Uint8Array,
  { signer = object === "instagram" ? "instagram" : "meta", type = "application/json" as string } = {},
): Promise<ApiResponse> {
  const path = object === "instagram" ? "/webhooks/instagram" : "/webhooks/messenger";
  const signature = hubSignature(bytes, stack.info.platform_secrets[signer as Signer]);
  return stack.request(path, {
    method: "POST",
    headers: { "content-type": type, "x-hub-signature-256": signature, "user-agent": "facebookexternalua" },
    body: new Uint8Array(bytes),
  });
}

/** Signs and posts a webhook with these entries. */
export function postWebhook(
  stack: LocalStack,
  object: PlatformObject,
  entries: readonly Entry[],
  options: { signer?: Signer; type?: string } = {},
): Promise<ApiResponse> {
  return postSigned(stack, object, wireBytes(object, entries), options);
}

/** The ids of the demo accounts. */
export const demoAccountIds = {
  instagramLogin: "17841400000000001",
  instagramPage: "17841400000000002",
  messenger: "100000000000001",
} as const;

/** A webhook entry with one text message from a person to an account. */
export function textEntry(account: string, person: string, mid: string, text: string, at: number): Entry {
  const event = { sender: { id: person }, recipient: { id: account }, timestamp: at, message: { mid, text } };
  return { time: at, id: account, messaging: [event] };
}

export function newMessageId(platform: "instagram" | "messenger" = "messenger"): string {
  if (platform === "messenger") return `m_${randomBytes(64).toString("base64url")}`;
  return `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE${randomBytes(60).toString("hex")}`;
}

/** A person's id as on the platforms: more digits than a double can represent. */
export function newPersonId(): string {
  return `9${BigInt(`0x${randomBytes(8).toString("hex")}`) % 10n ** 15n}7`.padEnd(17, "3");
}
