import fc from "fast-check";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { QueueId } from "../cloud/aws.ts";
import type { FunctionName } from "../cloud/functions.ts";
import { NEIGHBOURS_PERSON, people } from "../world/people.ts";
import { type PolicyAction, platformModes } from "../world/platform.ts";
import type { TroubleKind } from "../world/troubles.ts";
import type { History, Step } from "./step.ts";

// The parts of which steps and episodes are made.

export const person = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: people.length - 1 }) },
);
export const small = fc.nat({ max: 3 });
export const waits: readonly Millis[] = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  MINUTE,
  MINUTE,
  3 * MINUTE,
  7 * MINUTE,
  20 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
  2 * DAY,
  6 * DAY,
];
export const troubleKinds: readonly TroubleKind[] = [
  "before",
  "after",
  "freeze",
  "freeze_after",
  "fail",
  "lost",
  "throttle",
  "twice",
  "conflict",
  "partial",
];
export const freezes: readonly Millis[] = [5 * SECOND, 15 * SECOND, 40 * SECOND, 3 * MINUTE];

const ticks = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 25 }) });
export type Paced = History["steps"][number];

export const paced = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Paced> => fc.tuple(arbitrary, ticks);
export const at = (...steps: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Paced[]> => fc.tuple(...steps.map(paced));
export const wait = (...choices: readonly Millis[]) =>
  fc.record({ do: fc.constant("wait" as const), millis: fc.constantFrom(...choices) });
export const trouble = (...names: readonly FunctionName[]) =>
  fc.record({
    do: fc.constant("trouble" as const),
    name: fc.constantFrom(...names),
    call: fc.nat({ max: 24 }),
    kind: fc.constantFrom(...troubleKinds),
    millis: fc.constantFrom(...freezes),
  });
export const by = <Act extends "write" | "hold" | "erase" | "echo" | "testReply" | "read">(act: Act, who: number) =>
  fc.constant({ do: act, person: who } as const);
export const reply = (who: number) =>
  fc.record({ do: fc.constant("reply" as const), person: fc.constant(who), key: fc.constantFrom(null, 0, 0) });
export const answer = fc.record({ do: fc.constant("platform" as const), mode: fc.constantFrom(...platformModes) });
export const failing = fc.record({
  do: fc.constant("receiver" as const),
  endpoint: fc.nat({ max: 1 }),
  mode: fc.constantFrom("error", "hang", "reset", "late"),
});
export const inConsole = (act: "reply" | "hold" | "read", who: number) =>
  fc.record({
    do: fc.constant(act),
    person: fc.constant(who % NEIGHBOURS_PERSON),
    key: fc.constantFrom(null, 0, 0),
    by: fc.constantFrom("agent", "agent", "owner"),
  });
export const page = (who: number) => fc.constant({ do: "page", person: who } as const);
export const ofTenant = (act: "suspendTenant" | "resumeTenant", who: number) =>
  fc.constant({ do: act, person: who } as const);
export const alone = <Act extends "rotateRoot" | "removeAgent" | "inviteAgent">(act: Act) =>
  fc.constant({ do: act } as const);
export const tenantDeletion = fc.record({ do: fc.constant("deleteTenant" as const), dies: fc.nat({ max: 6 }) });
export const latestHold = fc.constant({ do: "check", hold: 0 } as const);

export const policyOf = (who: number, ...actions: readonly PolicyAction[]) =>
  fc.record({ do: fc.constant("policy" as const), person: fc.constant(who), action: fc.constantFrom(...actions) });
export const bury = (...queues: readonly QueueId[]) =>
  fc.record({ do: fc.constant("bury" as const), queue: fc.constantFrom(...queues) });
export const redrive = fc.constant({ do: "redrive" } as const);
export const subscribe = fc.record({
  do: fc.constant("subscribe" as const),
  endpoint: fc.nat({ max: 1 }),
  to: fc.constantFrom("all", "messages", "others"),
});
