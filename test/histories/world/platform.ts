import { createHmac } from "node:crypto";
import type { Millis } from "#base/kernel/time.ts";
import { clockNow, SECOND } from "#base/kernel/time.ts";
import type { AccountRef, PlatformName } from "#features/accounts/rules/accounts.ts";
import type { Platform, SendOutcome, SendRefused } from "#platforms/graph/platform.ts";
import { untilRunning } from "../../support/world/processes.ts";
import type { Lambda } from "../cloud/lambda.ts";
import { PLATFORM_SECRET } from "../cloud/secrets.ts";
import type { Engine } from "../engine/engine.ts";
import type { Outages } from "./outages.ts";
import { findPerson, participant, type WorldAccount } from "./people.ts";
import type { Troubles } from "./troubles.ts";

/**
 * How the platform answers the next send:
 * - `refuse`: the person cannot be reached; `restrict`: the account is restricted; `rate`: too many calls
 * - `lose`: it takes the message, and its response is lost; `drop`: the request is lost
 * - `late`: it takes the message, and answers after 12 seconds
 */
export const platformModes = ["accept", "refuse", "restrict", "rate", "lose", "drop", "late"] as const;
export type PlatformMode = (typeof platformModes)[number];

/** A call of the service to send a message. */
export interface PlatformCall {
  readonly at: Millis;
  readonly sendId: string;
  /** The name of the person; the account and the id where there is no such person. */
  readonly person: string;
  readonly text: string;
  readonly humanAgent: boolean;
  /** The id of the message when the platform took it. */
  readonly messageId: string | null;
}

interface Options {
  readonly engine: Engine;
  readonly troubles: Troubles;
  readonly outages: Outages;
  readonly lambda: () => Lambda;
  /** A number in [0, 1). */
  readonly random: () => number;
}

const REDELIVERIES_MAX = 6;
const REDELIVERED_AFTER: Millis = 30 * SECOND;

/** The messaging platform: it takes sends, and posts webhooks until they are acknowledged. */
export class SimulatedPlatform implements Platform {
  readonly calls: PlatformCall[] = [];
  /** The webhooks that the service acknowledged, by their number. */
  readonly acknowledged = new Map<number, Millis>();
  mode: PlatformMode = "accept";
  readonly #options: Options;
  #webhooks = 0;
  #uploads = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async send(
    account: { readonly externalId: string },
    _token: string,
    send: Parameters<Platform["send"]>[2],
  ): Promise<SendOutcome> {
    const { engine, troubles, outages, random } = this.#options;
    await untilRunning();
    await troubles.decide("send");
    // The client of a platform checks the clock before the first byte leaves.
    if (clockNow() > send.leavesBy) return { kind: "late" };
    if (outages.isOut("platform")) return { kind: "unknown", detail: "outcome_unknown" };
    const { mode } = this;
    this.mode = "accept";
    const isTaken = mode === "accept" || mode === "lose" || mode === "late";
    const text = send.content.kind === "text" ? send.content.text : "";
    const messageId = isTaken ? `sent-${this.calls.length + 1}` : null;
    const { metadata: sendId, humanAgent } = send;
    const recipient = participant(account.externalId, send.recipientId);
    const person = recipient?.name ?? `${account.externalId} ${send.recipientId}`;
    this.calls.push({ at: engine.now(), sendId, person, text, humanAgent, messageId });
    if (messageId !== null && recipient) {
      const at = engine.now();
      const metadata = recipient.account.platform === "messenger" ? sendId : null;
      engine.plan(at + Math.floor(random() * 8 * SECOND), () => {
        this.post(recipient.account, echo({ mid: messageId, person, text, at }, metadata));
      });
    }
    if (mode === "late") await new Promise((resolve) => setTimeout(resolve, 12 * SECOND));
    await untilRunning();
    if (mode === "lose" || mode === "drop") return { kind: "unknown", detail: "outcome_unknown" };
    return messageId === null ? refusal(mode) : { kind: "accepted", messageId };
  }

  async upload() {
    await untilRunning();
    await this.#options.troubles.decide("upload");
    await untilRunning();
    return { kind: "accepted", attachmentId: `upload-${++this.#uploads}` } as const;
  }

  async fetchProfile(_account: unknown, _token: string, person: string) {
    await untilRunning();
    await this.#options.troubles.decide("fetchProfile");
    await untilRunning();
    if (this.#options.outages.isOut("platform")) return { kind: "later", coolDownMs: null } as const;
    return { kind: "found", name: `name of ${person}`, username: person, pictureUrl: null } as const;
  }

  textTooLong(text: string): boolean {
    return text.length > 1_000;
  }

  /** Posts an event of an account, and again until it is acknowledged. @returns the number of the webhook */
  post({ platform, externalId }: AccountRef, event: object): number {
    return this.postAll(platform, [{ externalId, event }]);
  }

  /** Posts events of several accounts of one platform in one webhook. */
  postAll(platform: PlatformName, events: readonly { readonly externalId: string; readonly event: object }[]): number {
    const number = ++this.#webhooks;
    const time = this.#options.engine.now();
    const body = JSON.stringify({
      object: platform === "messenger" ? "page" : "instagram",
      entry: events.map(({ externalId, event }) => ({ id: externalId, time, messaging: [event] })),
    });
    void this.#deliver(number, { path: `/webhooks/${platform}`, body }, 1);
    return number;
  }

  async #deliver(number: number, webhook: { path: string; body: string }, attempt: number): Promise<void> {
    const { engine, lambda } = this.#options;
    const { path, body } = webhook;
    const signature = `sha256=${createHmac("sha256", PLATFORM_SECRET).update(body).digest("hex")}`;
    const headers = { "x-hub-signature-256": signature };
    const end = await lambda().request("intake", { method: "POST", path, headers, body });
    if (end.kind === "returned" && end.result.statusCode === 200) {
      if (!this.acknowledged.has(number)) this.acknowledged.set(number, engine.now());
      return;
    }
    if (attempt > REDELIVERIES_MAX) return;
    engine.plan(engine.now() + REDELIVERED_AFTER * attempt, () => void this.#deliver(number, webhook, attempt + 1));
  }
}

interface MessageFields {
  readonly mid: string;
  /** The name of the person. */
  readonly person: string;
  readonly text: string;
  readonly at: Millis;
}

/** Sender, recipient and time of what a person does. */
function fromPerson({ person, at }: Pick<MessageFields, "person" | "at">) {
  const { account, participantId } = findPerson(person);
  return { sender: { id: participantId }, recipient: { id: account.externalId }, timestamp: at };
}

export function inbound({ mid, text, ...rest }: MessageFields): object {
  return { ...fromPerson(rest), message: { mid, text } };
}

/** @param metadata of a send through the service, where the platform repeats it */
export function echo({ mid, text, ...rest }: MessageFields, metadata: string | null = null): object {
  const { sender, recipient, timestamp } = fromPerson(rest);
  const message = { mid, text, is_echo: true, ...(metadata === null ? {} : { metadata }) };
  return { sender: recipient, recipient: sender, timestamp, message };
}

export function edit({ mid, text, ...rest }: MessageFields, count: number): object {
  return { ...fromPerson(rest), message_edit: { mid, text, num_edit: count } };
}

export function unsend({ mid, ...rest }: Omit<MessageFields, "text">): object {
  return { ...fromPerson(rest), message: { mid, is_deleted: true } };
}

export function reaction({ mid, ...rest }: Omit<MessageFields, "text">): object {
  return { ...fromPerson(rest), reaction: { mid, action: "react", reaction: "love", emoji: "❤️" } };
}

export function policy({ externalId }: WorldAccount, action: PolicyAction, at: Millis): object {
  return { recipient: { id: externalId }, timestamp: at, policy_enforcement: { action, reason: "of the platform" } };
}

export type PolicyAction = "block" | "unblock" | "warning";

const MINUTE_OF_PAUSE = 60 * SECOND;

function refusal(mode: PlatformMode): SendRefused {
  const nothing = {
    kind: "refused",
    detail: "refused by the simulated platform",
    code: 100,
    subcode: null,
    accountStatus: null,
    coolDownMs: null,
    humanAgentPauseMs: null,
    humanAgentRefused: false,
    transient: false,
  } as const;
  if (mode === "restrict") return { ...nothing, class: "restricted", accountStatus: "restricted" };
  if (mode === "rate") return { ...nothing, class: "rate", coolDownMs: MINUTE_OF_PAUSE };
  return { ...nothing, class: "recipient" };
}
