import fc from "fast-check";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { NEIGHBOURS_PERSON } from "../world/people.ts";
import {
  at,
  bury,
  by,
  failing,
  latestHold,
  type Paced,
  redrive,
  reply,
  tenantDeletion,
  trouble,
  wait,
} from "./parts.ts";
import type { Step } from "./step.ts";

/** The other tenant is deleted while it is written to, sends and delivers. */
export function deletionEpisodes(): fc.Arbitrary<Paced[]>[] {
  return [
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
  ];
}
