import fc from "fast-check";
import { type EventType, eventTypes } from "../../shared/domain/events/events.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../shared/kernel/time.ts";
import { type QueueId, queueIds } from "./cloud/aws.ts";
import { type FunctionName, functionNames } from "./cloud/functions.ts";
import type { MemberName } from "./world/members.ts";
import { NEIGHBOURS_PERSON, people } from "./world/people.ts";
import { type PlatformMode, type PolicyAction, platformModes } from "./world/platform.ts";
import { type ReceiverMode, receiverModes } from "./world/receivers.ts";
import type { TroubleKind } from "./world/troubles.ts";

// A history is a list of steps. Numbers name people, messages, endpoints and holds (the latest is 0); a number beyond the last one starts
// over at the first, so that every list of steps is a history and a shorter list is one, too.

export type Step =
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
  | { readonly do: "stale"; readonly source: "base" | "GS1" | "GS2" | "GS3" | "all"; readonly writes: number }
  | { readonly do: "again"; readonly queue: QueueId; readonly when: "running" | "afterwards" };

/** The event types that an endpoint may ask for. */
export const subscriptions = {
  all: eventTypes,
  messages: ["message.received", "message.sent"],
  others: eventTypes.filter((type) => !type.startsWith("message.")),
} as const satisfies Readonly<Record<string, readonly EventType[]>>;

/** What a caller may try that is not theirs. */
const trespassActs = ["read", "readAs", "erase", "eraseByTestKey", "reply", "update", "delete"] as const;
export type TrespassAct = (typeof trespassActs)[number];

export interface History {
  /** Decides the order of concurrent calls and the clocks of the processes. */
  readonly seed: number;
  /** Each step, and how many things happen before the next one; null: until nothing more can happen now. */
  readonly steps: readonly (readonly [step: Step, ticks: number | null])[];
}

const person = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: people.length - 1 }) },
);
const small = fc.nat({ max: 3 });
const waits: readonly Millis[] = [
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
const troubleKinds: readonly TroubleKind[] = [
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
const freezes: readonly Millis[] = [5 * SECOND, 15 * SECOND, 40 * SECOND, 3 * MINUTE];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("write" as const), person }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("reply" as const),
      person,
      key: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 1 }) }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("edit", "unsend", "react"), message: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("echo" as const), person }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), person }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("check" as const), hold: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), person }) },
  { weight: 1, arbitrary: fc.constant({ do: "create" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("testReply", "read", "page"), person }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("reply", "reply", "hold", "read"),
      person: fc.nat({ max: NEIGHBOURS_PERSON - 1 }),
      by: fc.constantFrom("agent", "agent", "owner"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("rotateRoot", "removeAgent", "inviteAgent") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("suspendTenant", "resumeTenant", "resumeTenant"), person }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("trespass" as const),
      person: fc.constantFrom(0, NEIGHBOURS_PERSON),
      act: fc.constantFrom(...trespassActs),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("policy" as const),
      person,
      action: fc.constantFrom("block", "unblock", "unblock", "warning"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("subscribe" as const),
      endpoint: small,
      to: fc.constantFrom("all", "messages", "others"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bury" as const), queue: fc.constantFrom(...queueIds) }) },
  { weight: 1, arbitrary: fc.constant({ do: "redrive" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("pause", "resume", "resume", "move", "delete", "rotate", "test", "replay", "replayAll"),
      endpoint: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("receiver" as const),
      endpoint: small,
      mode: fc.constantFrom("ok", ...receiverModes),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("platform" as const), mode: fc.constantFrom(...platformModes) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.constantFrom(...waits) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("trouble" as const),
      name: fc.constantFrom(...functionNames, "api", "verify", "deliver", "deliver", "ingest"),
      call: fc.nat({ max: 20 }),
      kind: fc.constantFrom(...troubleKinds),
      millis: fc.constantFrom(...freezes),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("stale" as const),
      source: fc.constantFrom("base", "GS1", "GS2", "GS3", "all"),
      writes: fc.nat({ max: 8 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("again" as const),
      queue: fc.constantFrom(...queueIds),
      when: fc.constantFrom("running", "afterwards"),
    }),
  },
);

const ticks = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 25 }) });
type Paced = History["steps"][number];

const paced = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Paced> => fc.tuple(arbitrary, ticks);
const at = (...steps: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Paced[]> => fc.tuple(...steps.map(paced));
const wait = (...choices: readonly Millis[]) =>
  fc.record({ do: fc.constant("wait" as const), millis: fc.constantFrom(...choices) });
const trouble = (...names: readonly FunctionName[]) =>
  fc.record({
    do: fc.constant("trouble" as const),
    name: fc.constantFrom(...names),
    call: fc.nat({ max: 24 }),
    kind: fc.constantFrom(...troubleKinds),
    millis: fc.constantFrom(...freezes),
  });
const by = <Act extends "write" | "hold" | "erase" | "echo" | "testReply" | "read">(act: Act, who: number) =>
  fc.constant({ do: act, person: who } as const);
const reply = (who: number) =>
  fc.record({ do: fc.constant("reply" as const), person: fc.constant(who), key: fc.constantFrom(null, 0, 0) });
const answer = fc.record({ do: fc.constant("platform" as const), mode: fc.constantFrom(...platformModes) });
const failing = fc.record({
  do: fc.constant("receiver" as const),
  endpoint: fc.nat({ max: 1 }),
  mode: fc.constantFrom("error", "hang", "reset", "late"),
});
const inConsole = (act: "reply" | "hold" | "read", who: number) =>
  fc.record({
    do: fc.constant(act),
    person: fc.constant(who % NEIGHBOURS_PERSON),
    key: fc.constantFrom(null, 0, 0),
    by: fc.constantFrom("agent", "agent", "owner"),
  });
const page = (who: number) => fc.constant({ do: "page", person: who } as const);
const ofTenant = (act: "suspendTenant" | "resumeTenant", who: number) => fc.constant({ do: act, person: who } as const);
const alone = <Act extends "rotateRoot" | "removeAgent" | "inviteAgent">(act: Act) => fc.constant({ do: act } as const);
const tenantDeletion = fc.record({ do: fc.constant("deleteTenant" as const), dies: fc.nat({ max: 6 }) });
const latestHold = fc.constant({ do: "check", hold: 0 } as const);

const policyOf = (who: number, ...actions: readonly PolicyAction[]) =>
  fc.record({ do: fc.constant("policy" as const), person: fc.constant(who), action: fc.constantFrom(...actions) });
const bury = (...queues: readonly QueueId[]) =>
  fc.record({ do: fc.constant("bury" as const), queue: fc.constantFrom(...queues) });
const redrive = fc.constant({ do: "redrive" } as const);
const subscribe = fc.record({
  do: fc.constant("subscribe" as const),
  endpoint: fc.nat({ max: 1 }),
  to: fc.constantFrom("all", "messages", "others"),
});

/** Steps that seldom meet by chance, and belong together. */
const episode: fc.Arbitrary<Paced[]> = person.chain((who) =>
  fc.oneof(
    // A held message, with trouble on either side.
    at(by("write", who), wait(DAY + HOUR, 2 * DAY, 6 * DAY), by("hold", who), trouble("verify"), answer, latestHold),
    at(
      by("write", who),
      wait(7 * DAY - 5 * MINUTE),
      by("hold", who),
      trouble("verify"),
      wait(MINUTE, 4 * MINUTE),
      latestHold,
    ),
    at(by("write", who), wait(2 * DAY), by("hold", who), latestHold, wait(SECOND, 30 * SECOND), by("erase", who)),
    // A reply, repeated with its key.
    at(by("write", who), answer, trouble("api"), reply(who), wait(SECOND, MINUTE, 3 * MINUTE), reply(who)),
    at(by("write", who), trouble("api"), reply(who), by("erase", who), wait(2 * MINUTE), reply(who)),
    at(by("write", who), answer, reply(who), trouble("sweep"), wait(MINUTE, 3 * MINUTE)),
    // An outage of a receiver.
    at(failing, by("write", who), by("write", who), wait(5 * SECOND, 6 * MINUTE), trouble("deliver"), by("write", who)),
    fc
      .tuple(
        paced(failing),
        fc.array(paced(by("write", who)), { minLength: 4, maxLength: 12 }),
        paced(wait(MINUTE, 5 * MINUTE, 20 * MINUTE, DAY)),
        paced(trouble("deliver")),
      )
      .map(([first, written, ...rest]) => [first, ...written, ...rest]),
    // A change that meets deliveries.
    at(
      by("write", who),
      fc.record({
        do: fc.constantFrom("pause", "resume", "delete", "move", "replayAll"),
        endpoint: fc.nat({ max: 1 }),
      }),
      trouble("deliver"),
      by("write", who),
    ),
    // An erasure that meets everything.
    at(by("write", who), trouble("ingest", "deliver", "erase", "api"), by("erase", who), by("write", who)),
    at(by("write", who), by("echo", who), wait(SECOND, 5 * SECOND), by("erase", who), trouble("erase"), wait(MINUTE)),
    at(
      by("write", who),
      fc.record({ do: fc.constantFrom("edit", "unsend", "react"), message: small }),
      by("erase", who),
    ),
    // A message that no worker could process.
    at(bury("Inbound", "Events"), by("write", who), wait(MINUTE, HOUR), trouble("deliver", "ingest"), redrive),
    at(failing, bury("Deliveries", "SlowDeliveries"), by("write", who), wait(MINUTE, HOUR), redrive, redrive),
    at(by("write", who), bury("Erasures"), trouble("api"), by("erase", who), wait(MINUTE, HOUR), redrive),
    // A restricted account.
    at(by("write", who), policyOf(who, "block"), reply(who), policyOf(who, "unblock"), reply(who)),
    at(by("write", who), trouble("ingest", "api"), policyOf(who, "block", "unblock"), answer, reply(who)),
    // An account is let go in the middle of its messages, and connected again.
    at(
      by("write", who),
      trouble("api", "account", "ingest"),
      fc.constantFrom<Step>({ do: "disconnect", person: who }, { do: "reply", person: who }),
      fc.constant<Step>({ do: "disconnect", person: who }),
      by("write", who),
      wait(SECOND, MINUTE, 3 * MINUTE, 20 * MINUTE),
      by("write", who),
      fc.constant<Step>({ do: "connect", person: who }),
      trouble("account", "api", "deliver"),
      by("write", who),
    ),
    at(
      answer,
      reply(who),
      fc.constant<Step>({ do: "connect", person: who }),
      fc.constant<Step>({ do: "disconnect", person: who }),
      trouble("account"),
      fc.constant<Step>({ do: "connect", person: who }),
      wait(SECOND, MINUTE, 3 * MINUTE),
      reply(who),
    ),
    // Other events for an endpoint.
    at(by("write", who), subscribe, trouble("api", "deliver"), by("write", who), subscribe, by("write", who)),
    // A test key beside live ones.
    at(by("write", who), trouble("api"), by("testReply", who), reply(who), by("read", who), by("erase", who)),
    // A rotation of the root secret in the middle of what its keys protect.
    at(
      by("write", who),
      inConsole("read", who),
      trouble("api", "console"),
      alone("rotateRoot"),
      inConsole("reply", who),
    ),
    at(
      by("write", who),
      wait(2 * DAY),
      by("hold", who),
      alone("rotateRoot"),
      wait(SECOND, 3 * MINUTE, 7 * MINUTE),
      latestHold,
    ),
    at(
      by("write", who),
      by("write", who),
      by("write", who),
      page(who),
      alone("rotateRoot"),
      page(who),
      wait(7 * MINUTE),
      page(who),
    ),
    at(
      by("write", who),
      trouble("api"),
      reply(who),
      alone("rotateRoot"),
      wait(5 * SECOND, 3 * MINUTE, 7 * MINUTE),
      reply(who),
    ),
    at(
      alone("rotateRoot"),
      wait(7 * MINUTE),
      trouble("api", "mail", "console"),
      inConsole("read", who),
      alone("rotateRoot"),
      wait(7 * MINUTE),
      inConsole("read", who),
      by("read", who),
    ),
    at(
      inConsole("read", who),
      alone("rotateRoot"),
      wait(DAY),
      alone("rotateRoot"),
      wait(7 * MINUTE, DAY),
      inConsole("read", who),
      inConsole("reply", who),
    ),
    // What is taken away takes effect at the next request.
    at(by("write", who), inConsole("reply", who), alone("removeAgent"), inConsole("reply", who), alone("inviteAgent")),
    at(
      alone("removeAgent"),
      trouble("console", "mail"),
      alone("inviteAgent"),
      by("write", who),
      wait(DAY + HOUR),
      inConsole("hold", who),
      latestHold,
    ),
    at(
      by("write", who),
      trouble("api"),
      inConsole("reply", who),
      ofTenant("suspendTenant", who),
      reply(who),
      inConsole("reply", who),
      ofTenant("resumeTenant", who),
      reply(who),
    ),
    at(
      by("write", who),
      wait(2 * DAY),
      by("hold", who),
      ofTenant("suspendTenant", who),
      latestHold,
      by("erase", who),
      alone("rotateRoot"),
      wait(7 * MINUTE),
      ofTenant("resumeTenant", who),
      reply(who),
    ),
    // The other tenant is deleted while it is written to, sends and delivers.
    at(
      by("write", NEIGHBOURS_PERSON),
      trouble("ingest", "deliver", "api", "profile", "erase"),
      fc.constantFrom<Step>(
        { do: "reply", person: NEIGHBOURS_PERSON },
        { do: "write", person: NEIGHBOURS_PERSON },
        { do: "erase", person: NEIGHBOURS_PERSON },
        { do: "create" },
      ),
      tenantDeletion,
      by("write", NEIGHBOURS_PERSON),
      wait(SECOND, 30 * SECOND, 3 * MINUTE, 20 * MINUTE),
      reply(NEIGHBOURS_PERSON),
    ),
    at(
      by("write", NEIGHBOURS_PERSON),
      failing,
      trouble("deliver"),
      by("write", NEIGHBOURS_PERSON),
      wait(5 * SECOND, 6 * MINUTE, DAY),
      tenantDeletion,
      reply(NEIGHBOURS_PERSON),
    ),
    at(
      by("write", NEIGHBOURS_PERSON),
      wait(2 * DAY),
      by("hold", NEIGHBOURS_PERSON),
      tenantDeletion,
      latestHold,
      wait(MINUTE, 20 * MINUTE),
      by("read", NEIGHBOURS_PERSON),
    ),
    at(
      failing,
      by("write", NEIGHBOURS_PERSON),
      bury("Deliveries", "SlowDeliveries"),
      tenantDeletion,
      wait(20 * MINUTE, DAY),
    ),
    at(
      bury("Inbound", "Events", "Deliveries", "Erasures"),
      by("write", NEIGHBOURS_PERSON),
      wait(MINUTE, HOUR),
      tenantDeletion,
      wait(SECOND, 5 * MINUTE),
      redrive,
    ),
    // The same person at another tenant.
    at(by("write", 0), by("write", NEIGHBOURS_PERSON), reply(NEIGHBOURS_PERSON), by("erase", 0), by("read", who)),
  ),
);

/** Histories of up to so many parts: a step, or an episode of several. */
export function histories(length: number): fc.Arbitrary<History> {
  const part = fc.oneof(
    { weight: 3, arbitrary: paced(step).map((single) => [single]) },
    { weight: 1, arbitrary: episode },
  );
  return fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    steps: fc.array(part, { minLength: 3, maxLength: length, size: "max" }).map((parts) => parts.flat()),
  });
}
