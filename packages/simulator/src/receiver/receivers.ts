import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BadInput } from "../http/fields.ts";
import type { Call, HttpOutcome } from "../http/http-server.ts";
import type { Receiver, ReceiverStep } from "../world/model.ts";
import type { World } from "../world/world.ts";
import { type SignatureVerdict, verifySignature } from "./signature.ts";
import { stepAt } from "./steps.ts";

/** A request that a receiver got. */
export interface ReceivedRequest {
  id: string;
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number;
  method: string;
  headers: Record<string, string>;
  /** The beginning of the body. */
  body: string;
  bytes: number;
  signature: SignatureVerdict;
  /** The index of the step that answered. */
  step: number;
  /** The status of the answer; null if the connection was cut. */
  status: number | null;
  delay_ms: number;
}

const receiversMax = 20;
const requestsMax = 100;
const bodyBytesMax = 64_000;
/** Beyond it, a request is answered without the delay of its step. */
const delayedMax = 500;

/** The path of a receiver. */
const PATH = /^\/receivers\/([a-z0-9][a-z0-9-]{0,39})$/;

/** The scripted receivers. They are stored with the state, what they received is not. */
export class Receivers {
  readonly #world: World;
  readonly #requests = new Map<string, ReceivedRequest[]>();
  #delayed = 0;

  constructor(world: World) {
    this.#world = world;
  }

  list(): readonly Receiver[] {
    return this.#world.state.receivers;
  }

  /** Throws BadInput if there is none of that name. */
  require(name: string): Receiver {
    const receiver = this.list().find((one) => one.name === name);
    if (receiver !== undefined) return receiver;
    const names = this.list().map((one) => one.name);
    throw new BadInput(
      `there is no receiver ${JSON.stringify(name.slice(0, 60))}; receivers: ${names.join(", ") || "none"}`,
    );
  }

  /** The newest requests of a receiver, the newest first. */
  requests(name: string): readonly ReceivedRequest[] {
    return this.#requests.get(name) ?? [];
  }

  /** Adds a receiver, or sets the steps of an existing one, which begin again. Throws BadInput. */
  set(name: string, { steps, secret }: { steps: ReceiverStep[]; secret: string | null | undefined }): Receiver {
    const { receivers } = this.#world.state;
    const existing = receivers.find((one) => one.name === name);
    if (existing !== undefined) {
      Object.assign(existing, { steps, taken: 0, ...(secret === undefined ? {} : { secret }) });
      return existing;
    }
    if (!PATH.test(receiverPath(name)))
      throw new BadInput(
        "name must be 1 to 40 lowercase letters, digits and hyphens, and begin with a letter or digit",
      );
    if (receivers.length >= receiversMax) throw new BadInput(`there are ${receiversMax} receivers: remove one first`);
    const receiver = { name, steps, taken: 0, secret: secret ?? null };
    receivers.push(receiver);
    return receiver;
  }

  remove(name: string): void {
    const { receivers } = this.#world.state;
    receivers.splice(receivers.indexOf(this.require(name)), 1);
    this.#requests.delete(name);
  }

  /** Answers a request to `/receivers/{name}` as the receiver's script says. Undefined for any other path. */
  async handle(call: Call): Promise<HttpOutcome | undefined> {
    const name = PATH.exec(call.path)?.[1];
    const receiver = this.list().find((one) => one.name === name);
    if (receiver === undefined) return undefined;
    const step = stepAt(receiver.steps, receiver.taken);
    const answer = receiver.steps[step];
    if (answer === undefined) return undefined;
    receiver.taken += 1;
    this.#record(receiver, call, { step, answer });
    await this.#delay(answer.delay_ms);
    if (answer.drop) return "reset";
    return {
      status: answer.status,
      headers: {
        "Content-Type": "text/plain; charset=utf-8",
        ...(answer.retry_after === null ? {} : { "Retry-After": String(answer.retry_after) }),
      },
      body: answer.body,
    };
  }

  /** A delay does not keep the process running. */
  async #delay(ms: number): Promise<void> {
    if (ms === 0 || this.#delayed >= delayedMax) return;
    this.#delayed += 1;
    try {
      await sleep(ms, undefined, { ref: false });
    } finally {
      this.#delayed -= 1;
    }
  }

  #record({ name, secret }: Receiver, call: Call, { step, answer }: { step: number; answer: ReceiverStep }): void {
    const request = {
      id: randomUUID(),
      at: this.#world.now(),
      method: call.method,
      headers: Object.fromEntries(Object.entries(call.headers).map(([key, value]) => [key, [value].flat().join(", ")])),
      body: call.raw.subarray(0, bodyBytesMax).toString("utf8"),
      bytes: call.raw.length,
      signature: verifySignature(call.headers, call.raw, secret),
      step,
      status: answer.drop ? null : answer.status,
      delay_ms: answer.delay_ms,
    };
    this.#requests.set(name, [request, ...this.requests(name)].slice(0, requestsMax));
    this.#world.version += 1;
  }
}

export const receiverPath = (name: string): string => `/receivers/${name}`;
