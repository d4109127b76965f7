import type fc from "fast-check";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { alone, at, by, inConsole, latestHold, ofTenant, type Paced, page, reply, trouble, wait } from "./parts.ts";

/** Of what gives access, and of its end. */
export function accessEpisodes(who: number): fc.Arbitrary<Paced[]>[] {
  return [
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
  ];
}
