import fc from "fast-check";
import { NEIGHBOURS_PERSON } from "../world/people.ts";
import { accessEpisodes } from "./access-episodes.ts";
import { deletionEpisodes } from "./deletion-episodes.ts";
import { messageEpisodes } from "./message-episodes.ts";
import { at, by, type Paced, paced, person, reply } from "./parts.ts";
import { singleStep } from "./single-step.ts";
import type { History } from "./step.ts";

/** Steps that seldom meet by chance, and belong together. */
const episode: fc.Arbitrary<Paced[]> = person.chain((who) =>
  fc.oneof(
    ...messageEpisodes(who),
    ...accessEpisodes(who),
    ...deletionEpisodes(),
    // The same person at another tenant.
    at(by("write", 0), by("write", NEIGHBOURS_PERSON), reply(NEIGHBOURS_PERSON), by("erase", 0), by("read", who)),
  ),
);

/** Histories of up to so many parts: a step, or an episode of several. */
export function histories(length: number): fc.Arbitrary<History> {
  const part = fc.oneof(
    { weight: 3, arbitrary: paced(singleStep).map((single) => [single]) },
    { weight: 1, arbitrary: episode },
  );
  return fc.record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    steps: fc.array(part, { minLength: 3, maxLength: length, size: "max" }).map((parts) => parts.flat()),
  });
}
