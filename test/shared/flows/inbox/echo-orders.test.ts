import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { accepted, headFor, type InFlight, lost, openBothSides, refused } from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Strike, strikeAt } from "../support/strikes.ts";

// Whatever order the platform's answers and echoes come in, and whoever dies over them.

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type End = "accepted" | "lost" | "dies" | "dies unsent" | "refused";

interface Sent {
  readonly text: string;
  readonly end: End;
}

/** One thing that happens; what it needs to have happened before, happens just before it. */
interface Happening {
  readonly what: "begin" | "end" | "echo" | "native";
  readonly which: number;
  /** The process that works on it is struck at this call; an echo then comes again at once. */
  readonly struck: { readonly strike: Strike; readonly at: number } | null;
}

// Few texts, so that two sends often say the same; as the platform may give them back, some with spaces around.
const sent = fc.record<Sent>({
  text: fc.constantFrom("yes", " yes", "no"),
  end: fc.constantFrom("accepted", "accepted", "lost", "dies", "dies unsent", "refused"),
});
const struck = fc.option(
  fc.record({ strike: fc.constantFrom<Strike>("before", "after", "lost"), at: fc.nat({ max: 9 }) }),
  { freq: 3 },
);
const stories = fc
  .record({
    platform: fc.constantFrom("instagram", "messenger"),
    sends: fc.array(sent, { minLength: 1, maxLength: 3 }),
    natives: fc.nat({ max: 1 }),
  })
  .chain(({ platform, sends, natives }) => {
    const each = (what: Happening["what"], count: number) =>
      Array.from({ length: count }, (_, which) => ({ what, which }));
    const all = [
      ...each("begin", sends.length),
      ...each("end", sends.length),
      ...each("echo", sends.length),
      ...each("echo", sends.length),
      ...each("native", natives),
    ];
    return fc.record({
      platform: fc.constant(platform),
      sends: fc.constant(sends),
      happenings: fc
        .shuffledSubarray(all, { minLength: sends.length * 2 })
        .chain((some) => fc.tuple(...some.map((one) => struck.map((by): Happening => ({ ...one, struck: by }))))),
    });
  });

it("each of our sends that the platform took is one outbound message, and nothing else is", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ platform, sends, happenings }) => {
      const sides = await openBothSides(house, platform);
      const flights = new Map<number, InFlight>();
      const ours = new Set<string>();
      const natives = new Set<string>();
      const unfinished = new Set<number>();
      const took = ({ end }: Sent) => end !== "dies unsent" && end !== "refused";
      const midOf = (which: number) => `${sides.tenant}-${which}`;

      async function begin(which: number): Promise<InFlight> {
        const flight = flights.get(which) ?? (await sides.send(sends[which]?.text ?? ""));
        flights.set(which, flight);
        return flight;
      }

      async function echo(which: number): Promise<void> {
        const { metadata } = await begin(which);
        const rest = platform === "messenger" ? { echo: { appId: "777", metadata } } : {};
        await sides.echo(midOf(which), sends[which]?.text.trim() ?? "", rest);
      }

      /** @returns whether its process ended early */
      async function under(by: Happening["struck"], work: () => Promise<unknown>): Promise<boolean> {
        const strikes = by && strikeAt(house.clients, by.strike, by.at);
        const failed = await work().then(
          (told) => told instanceof Error,
          () => true,
        );
        strikes?.end();
        // A sender tells nobody of its own death.
        return failed || (by?.strike !== "lost" && strikes?.reached() === true);
      }

      async function happen({ what, which, struck: by }: Happening): Promise<void> {
        const send = sends[which];
        house.turn(SECOND);
        if (what === "native") {
          natives.add(`${sides.tenant}-native`);
          await under(by, () => sides.echo(`${sides.tenant}-native`, "from the phone"));
          return sides.echo(`${sides.tenant}-native`, "from the phone");
        }
        if (!send) return;
        if (what === "begin") await begin(which);
        if (what === "echo" && took(send)) {
          ours.add(midOf(which));
          await begin(which);
          if (await under(by, () => echo(which))) await echo(which);
          unfinished.delete(which);
        }
        if (what === "end") {
          const flight = await begin(which);
          if (send.end === "accepted") {
            ours.add(midOf(which));
            if (await under(by, () => flight.answer(accepted(midOf(which))))) unfinished.add(which);
          }
          if (send.end === "lost") await under(by, () => flight.answer(lost));
          if (send.end === "refused") await under(by, () => flight.answer(refused));
          if (send.end.startsWith("dies")) await flight.die();
        }
      }

      for (const happening of happenings) await happen(happening);
      // Whoever died over an answer left it to the echo.
      for (const which of unfinished) await echo(which);

      const rows = await sides.rows();
      const left = rows.filter(({ message }) => message.direction !== "inbound").map(({ message }) => message);
      const told = left.map(({ id, direction, sentVia }) => `${id} ${direction} ${sentVia}`).sort();
      const due = [
        ...[...ours].map((id) => `${id} outbound api_in_window`),
        ...[...natives].map((id) => `${id} echo native_app`),
      ];
      expect(told).toEqual(due.sort());
      expect(await sides.head()).toMatchObject(headFor(rows));

      const announced = new Map<string, Set<string>>();
      for (const { place, eventUlid } of await sides.announcements()) {
        announced.set(place, (announced.get(place) ?? new Set()).add(eventUlid));
      }
      expect(announced).toEqual(new Map(rows.map(({ place, message }) => [place, new Set([message.eventUlid])])));

      const claims = (await sides.records()).filter(({ b }) => b === "echo").map(({ m }) => m);
      expect(new Set(claims).size).toBe(claims.length);
    }),
    { numRuns: 40 },
  );
});

it.each(["instagram", "messenger"] as const)(
  "a send's answer and its echoes at once are one outbound message, whichever request arrives first (%s)",
  async (platform) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom("accepted", "lost"), async (scheduler, end) => {
        const sides = await openBothSides(house, platform);
        house.turn(SECOND);
        const flight = await sides.send("yes");
        const mid = `${sides.tenant}-out`;
        const told = platform === "messenger" ? { echo: { appId: "777", metadata: flight.metadata } } : {};
        house.turn(SECOND);
        const release = injectFaults(house.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
        const all = Promise.all([
          flight.answer(end === "accepted" ? accepted(mid) : lost),
          sides.echo(mid, "yes", told),
          sides.echo(mid, "yes", told),
        ]);
        await scheduler.waitFor(all).finally(release);

        const rows = await sides.rows();
        expect(rows).toHaveLength(2);
        expect(rows[0]?.message).toMatchObject({ id: mid, direction: "outbound", sentVia: "api_in_window" });
        expect(await sides.head()).toMatchObject(headFor(rows));
        expect(new Set((await sides.announcements()).map(({ eventUlid }) => eventUlid)).size).toBe(2);
        expect(await sides.records()).toMatchObject([{ st: "sent", m: mid }]);
      }),
      { numRuns: 12 },
    );
  },
);
