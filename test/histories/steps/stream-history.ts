import fc from "fast-check";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { QueueId } from "../cloud/aws.ts";
import type { FunctionName } from "../cloud/functions.ts";
import { gatewayModes } from "../cloud/gateway.ts";
import { NEIGHBOURS_PERSON } from "../world/people.ts";
import { messageEpisodes } from "./message-episodes.ts";
import { alone, at, by, ofTenant, type Paced, paced, person, reply, small, troubleKinds } from "./parts.ts";
import type { History, Step } from "./step.ts";

// Histories with clients of the realtime stream. Their times are those of the stream: two seconds to the first frame, a
// minute to the end of access, ten minutes to the end of an event.

const freezes: readonly Millis[] = [
  0.5 * SECOND,
  SECOND,
  1.5 * SECOND,
  3 * SECOND,
  5 * SECOND,
  15 * SECOND,
  40 * SECOND,
];
/** Up to the time of the first frame, also after the marks of its accounts. */
const moment = fc.record({
  do: fc.constant("wait" as const),
  millis: fc.integer({ min: 0, max: 88 }).map((n) => n * 50),
});
const pause = fc.record({
  do: fc.constant("wait" as const),
  millis: fc.constantFrom(5 * SECOND, 20 * SECOND, MINUTE, 3 * MINUTE, 7 * MINUTE, 20 * MINUTE),
});
const watch = (who: number): fc.Arbitrary<Step> => {
  const program = fc.constant({ do: "watch", person: who } as const);
  if (who === NEIGHBOURS_PERSON) return program;
  const member = fc.record({
    do: fc.constant("watch" as const),
    person: fc.constant(who),
    by: fc.constantFrom("agent", "agent", "owner"),
  });
  return fc.oneof({ weight: 2, arbitrary: program }, { weight: 1, arbitrary: member });
};
const watchAsAgent = (who: number) => fc.constant({ do: "watch", person: who, by: "agent" } as const);
const leave = fc.record({ do: fc.constant("leave" as const), viewer: small, isReported: fc.boolean() });
const revokeKey = (who: number) => fc.constant({ do: "revokeKey", person: who } as const);
const gateway = fc.record({ do: fc.constant("gateway" as const), mode: fc.constantFrom(...gatewayModes) });
const trouble = (...names: readonly FunctionName[]) =>
  fc.record({
    do: fc.constant("trouble" as const),
    name: fc.constantFrom(...names),
    call: fc.nat({ max: 14 }),
    kind: fc.constantFrom(...troubleKinds),
    millis: fc.constantFrom(...freezes),
  });
/** A worker of the stream stands still, for less than the time that the frame of an erasure waits. */
const hesitation = fc.record({
  do: fc.constant("trouble" as const),
  name: fc.constant("push" as const),
  call: fc.nat({ max: 5 }),
  kind: fc.constantFrom("freeze", "freeze_after"),
  millis: fc.constantFrom(0.5 * SECOND, SECOND, 1.5 * SECOND),
});
/** Some copies are behind, and others are not. */
const stale = fc.record({
  do: fc.constant("stale" as const),
  source: fc.constantFrom("base", "GS1", "all", "all"),
  writes: fc.integer({ min: 1, max: 40 }),
  isMixed: fc.boolean(),
});
const again = fc.record({
  do: fc.constant("again" as const),
  queue: fc.constantFrom<QueueId>("Realtime", "Realtime", "Events", "Inbound", "Erasures"),
  when: fc.constantFrom("running", "afterwards"),
});
const change = fc.record({ do: fc.constantFrom("edit", "unsend", "react"), message: small });
const streamFunctions: readonly FunctionName[] = [
  "push",
  "push",
  "socket",
  "deliver",
  "ingest",
  "erase",
  "api",
  "console",
];

const step: fc.Arbitrary<Step> = person.chain((who) =>
  fc.oneof(
    { weight: 8, arbitrary: by("write", who) },
    { weight: 3, arbitrary: reply(who) },
    { weight: 2, arbitrary: change },
    { weight: 1, arbitrary: by("echo", who) },
    { weight: 1, arbitrary: by("testReply", who) },
    { weight: 2, arbitrary: by("erase", who) },
    { weight: 4, arbitrary: watch(who) },
    { weight: 1, arbitrary: leave },
    { weight: 1, arbitrary: revokeKey(who) },
    { weight: 2, arbitrary: gateway },
    { weight: 8, arbitrary: moment },
    { weight: 4, arbitrary: pause },
    { weight: 8, arbitrary: trouble(...streamFunctions) },
    { weight: 2, arbitrary: stale },
    { weight: 2, arbitrary: again },
    { weight: 1, arbitrary: alone("removeAgent") },
    { weight: 1, arbitrary: alone("inviteAgent") },
    { weight: 1, arbitrary: ofTenant("suspendTenant", who) },
    { weight: 1, arbitrary: ofTenant("resumeTenant", who) },
  ),
);

/** Steps of the stream that seldom meet by chance. */
const episode: fc.Arbitrary<Paced[]> = person.chain((who) =>
  fc.oneof(
    // Messages about the first frame.
    at(trouble("socket", "push", "api"), watch(who), moment, by("write", who), moment, by("write", who), moment),
    at(watch(who), moment, stale, trouble("push", "deliver", "ingest"), by("write", who), moment, by("write", who)),
    at(
      watch(who),
      pause,
      trouble("socket", "push"),
      watch(who),
      moment,
      stale,
      by("write", who),
      moment,
      by("write", who),
    ),
    at(stale, watch(who), moment, by("write", who), moment),
    at(stale, watch(who), moment, by("write", who), by("write", who), moment, by("write", who), moment),
    at(watch(who), pause, stale, watch(who), moment, by("write", who), moment, by("write", who), moment),
    // Messages at an open socket.
    at(watch(who), pause, trouble("push", "deliver"), by("write", who), gateway, by("write", who), pause),
    at(watch(who), pause, by("write", who), moment, change, trouble("push", "ingest"), moment, change, pause),
    at(watch(who), pause, leave, by("write", who), trouble("push"), watch(who), moment, by("write", who)),
    // An erasure that meets frames.
    at(by("write", who), watch(who), pause, trouble("push", "erase"), by("write", who), by("erase", who), moment),
    at(watch(who), by("write", who), pause, by("erase", who), by("write", who), trouble("push", "erase"), pause),
    at(watch(who), pause, by("write", who), hesitation, by("write", who), by("erase", who), moment),
    at(watch(who), pause, stale, by("write", who), hesitation, by("write", who), by("erase", who), moment),
    // Access ends.
    at(watch(who), pause, trouble("api", "push"), revokeKey(who), by("write", who), pause, by("write", who)),
    at(watch(who), revokeKey(who), trouble("socket", "push", "api"), moment, by("write", who), pause, by("write", who)),
    at(
      watchAsAgent(who % NEIGHBOURS_PERSON),
      pause,
      trouble("console", "push"),
      alone("removeAgent"),
      by("write", who),
      pause,
      by("write", who),
    ),
    at(
      watch(who),
      pause,
      ofTenant("suspendTenant", who),
      trouble("push"),
      by("write", who),
      pause,
      by("write", who),
      ofTenant("resumeTenant", who),
    ),
    // Both tenants.
    at(
      watch(0),
      watch(NEIGHBOURS_PERSON),
      pause,
      by("write", 0),
      by("write", NEIGHBOURS_PERSON),
      by("erase", 0),
      pause,
    ),
    ...messageEpisodes(who),
  ),
);

/** Histories of up to so many parts after the first connection. */
export function streamHistories(length: number): fc.Arbitrary<History> {
  const part = fc.oneof(
    { weight: 3, arbitrary: paced(step).map((single) => [single]) },
    { weight: 2, arbitrary: episode },
  );
  return fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    steps: fc
      .tuple(
        person.chain((who) => paced(watch(who))),
        fc.array(part, { minLength: 2, maxLength: length, size: "max" }),
      )
      .map(([first, parts]) => [first, ...parts.flat()]),
  });
}
