import fc from "fast-check";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  answer,
  at,
  bury,
  by,
  failing,
  latestHold,
  type Paced,
  paced,
  policyOf,
  redrive,
  reply,
  small,
  subscribe,
  trouble,
  wait,
} from "./parts.ts";
import type { Step } from "./step.ts";

/** Of messages, receivers, erasures and accounts. */
export function messageEpisodes(who: number): fc.Arbitrary<Paced[]>[] {
  return [
    // A held message, with trouble on either side.
    at(by("write", who), wait(DAY + HOUR, 2 * DAY, 6 * DAY), by("hold", who), trouble("checkPage"), answer, latestHold),
    at(
      by("write", who),
      wait(7 * DAY - 5 * MINUTE),
      by("hold", who),
      trouble("checkPage"),
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
    // An account is disconnected in the middle of its messages, and connected again.
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
  ];
}
