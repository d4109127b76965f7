import { type EventType, eventTypes } from "#base/events/events.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { QueueId } from "../cloud/aws.ts";
import type { FunctionName } from "../cloud/functions.ts";
import type { GatewayMode } from "../cloud/gateway.ts";
import type { MemberName } from "../world/members.ts";
import type { PlatformMode, PolicyAction } from "../world/platform.ts";
import type { ReceiverMode } from "../world/receivers.ts";
import type { TroubleKind } from "../world/troubles.ts";
import type { AccountStep } from "./account-step.ts";

// A history is a list of steps. Numbers name people, messages, endpoints and holds (the latest is 0); a number beyond the last one starts
// over at the first, so that every list of steps is a history and a shorter list is one, too.

export type Step =
  | AccountStep
  | {
      readonly do: "write" | "echo" | "reply" | "testReply" | "hold" | "erase" | "read";
      readonly person: number;
      readonly key?: number | null;
      /** Who does it in the console; without it, a client with a key. For `reply`, `hold` and `read`. */
      readonly by?: MemberName;
    }
  | { readonly do: "page" | "suspendTenant" | "resumeTenant"; readonly person: number }
  | { readonly do: "connect" | "disconnect"; readonly person: number }
  | { readonly do: "deleteTenant"; readonly dies: number }
  | { readonly do: "rotateRoot" | "removeAgent" | "inviteAgent" }
  | { readonly do: "edit" | "unsend" | "react"; readonly message: number }
  | { readonly do: "check"; readonly hold: number }
  | { readonly do: "create" }
  | {
      readonly do: "pause" | "resume" | "move" | "delete" | "rotate" | "test" | "replay" | "replayAll";
      readonly endpoint: number;
    }
  | { readonly do: "subscribe"; readonly endpoint: number; readonly to: keyof typeof subscriptions }
  | { readonly do: "policy"; readonly person: number; readonly action: PolicyAction }
  | { readonly do: "trespass"; readonly person: number; readonly act: TrespassAct }
  | { readonly do: "bury"; readonly queue: QueueId }
  | { readonly do: "redrive" }
  /** Somebody connects to the realtime stream of a person's tenant: a program with a key, or a member in the console. */
  | { readonly do: "watch"; readonly person: number; readonly by?: MemberName }
  | { readonly do: "leave"; readonly viewer: number; readonly isReported: boolean }
  | { readonly do: "revokeKey"; readonly person: number }
  | { readonly do: "gateway"; readonly mode: GatewayMode }
  | { readonly do: "receiver"; readonly endpoint: number; readonly mode: ReceiverMode }
  | { readonly do: "platform"; readonly mode: PlatformMode }
  | { readonly do: "wait"; readonly millis: Millis }
  | {
      readonly do: "trouble";
      readonly name: FunctionName;
      readonly call: number;
      readonly kind: TroubleKind;
      readonly millis: Millis;
    }
  | {
      readonly do: "stale";
      readonly source: "base" | "GS1" | "GS2" | "GS3" | "all";
      readonly writes: number;
      /** Only some reads are behind. */
      readonly isMixed?: boolean;
    }
  | { readonly do: "again"; readonly queue: QueueId; readonly when: "running" | "afterwards" };

/** The event types that an endpoint may ask for. */
export const subscriptions = {
  all: eventTypes,
  messages: ["message.received", "message.sent"],
  others: eventTypes.filter((type) => !type.startsWith("message.")),
} as const satisfies Readonly<Record<string, readonly EventType[]>>;

/** What a caller may try that is not theirs. */
export const trespassActs = ["read", "readAs", "erase", "eraseByTestKey", "reply", "update", "delete"] as const;
export type TrespassAct = (typeof trespassActs)[number];

export interface History {
  /** `accounts`: tenants connect their accounts in the history. Absent: they have them from the start. */
  readonly kind?: "accounts";
  /** Decides the order of concurrent calls and the clocks of the processes. */
  readonly seed: number;
  /** Each step, and how many things happen before the next one; null: until nothing more can happen now. */
  readonly steps: readonly (readonly [step: Step, ticks: number | null])[];
}
