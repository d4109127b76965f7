import fc from "fast-check";
import { queueIds } from "../cloud/aws.ts";
import { functionsWithoutStream } from "../cloud/functions.ts";
import { NEIGHBOURS_PERSON } from "../world/people.ts";
import { platformModes } from "../world/platform.ts";
import { receiverModes } from "../world/receivers.ts";
import { freezes, person, small, troubleKinds, waits } from "./parts.ts";
import { type Step, trespassActs } from "./step.ts";

/** Any step. */
export const singleStep: fc.Arbitrary<Step> = fc.oneof(
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
      name: fc.constantFrom(...functionsWithoutStream, "api", "checkPage", "deliver", "deliver", "ingest"),
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
