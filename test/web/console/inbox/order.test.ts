import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type Arrangement,
  arrange,
  isSectionLoaded,
  nextToAnswer,
  sectionsOf,
} from "../../../../web/console/inbox/list/order.ts";
import { conversation } from "../data/conversations.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const HOUR = 3_600_000;
const waiting = (id: string, hours: number) => conversation(id, { inbound: NOW - hours * HOUR });

it("the person whose window closes first stands first, under the heading of that window", () => {
  const all = [
    waiting("fresh", 1),
    waiting("closing", 23),
    waiting("person", 30),
    waiting("soonest", 23.9),
    waiting("open", 20),
  ];
  expect(sectionsOf("needs-reply", all, NOW)).toEqual([
    { name: "closing", ids: ["soonest", "closing"] },
    { name: "open", ids: ["open", "fresh"] },
    { name: "person", ids: ["person"] },
  ]);
});

it("the list of those who need a reply has none who was answered or is done", () => {
  const answered = conversation("answered", { inbound: NOW - HOUR, outbound: NOW });
  const done = conversation("done", { inbound: NOW - HOUR, done: NOW });
  expect(sectionsOf("needs-reply", [answered, done], NOW)).toEqual([]);
  expect(sectionsOf("all", [done, answered], NOW)).toEqual([{ name: "all", ids: ["answered", "done"] }]);
});

it("a heading is complete once the list is loaded into a later one", () => {
  const names = ["closing", "open", "person"] as const;
  const loaded = (hours: number) => names.filter((name) => isSectionLoaded(name, waiting("last", hours), NOW));
  expect([23, 10, 30].map(loaded)).toEqual([[], ["closing"], ["closing", "open"]]);
  expect(isSectionLoaded("closing", null, NOW)).toBe(false);
});

const exists = () => true;
const section = (ids: readonly string[]) => [{ name: "all" as const, ids }];

it("new rows wait and rows that left keep their places while the list is held", () => {
  const shown: Arrangement = { sections: section(["a", "b", "c"]), waiting: 0 };
  const held = arrange(shown, section(["d", "c", "a"]), { isHeld: true, exists });
  expect(held).toEqual({ sections: section(["a", "b", "c"]), waiting: 1 });
  expect(arrange(held, section(["d", "c", "a"]), { isHeld: false, exists })).toEqual({
    sections: section(["d", "c", "a"]),
    waiting: 0,
  });
});

it("an erased row leaves a held list at once", () => {
  const shown: Arrangement = { sections: section(["a", "b"]), waiting: 0 };
  expect(arrange(shown, section(["b"]), { isHeld: true, exists: (id) => id !== "a" }).sections).toEqual(section(["b"]));
});

it("a further page follows the rows of a held list, and what belongs between them waits", () => {
  const shown: Arrangement = { sections: section(["b", "d"]), waiting: 0 };
  expect(arrange(shown, section(["a", "b", "c", "d", "e", "f"]), { isHeld: true, exists })).toEqual({
    sections: section(["b", "d", "e", "f"]),
    waiting: 2,
  });
  const sections = [
    { name: "open" as const, ids: ["a"] },
    { name: "person" as const, ids: ["b"] },
  ];
  const next = arrange({ sections: sections.slice(0, 1), waiting: 0 }, sections, { isHeld: true, exists });
  expect(next).toEqual({ sections, waiting: 0 });
});

it("no row of a held list changes its place for any order", () => {
  const ids = fc.uniqueArray(fc.constantFrom(..."abcdefghij"), { maxLength: 10 });
  fc.assert(
    fc.property(ids, fc.array(ids, { maxLength: 8 }), (first, orders) => {
      let shown: Arrangement = { sections: section(first), waiting: 0 };
      for (const wanted of orders) shown = arrange(shown, section(wanted), { isHeld: true, exists });
      expect(shown.sections.flatMap((each) => each.ids).slice(0, first.length)).toEqual(first);
    }),
  );
});

it.each([
  ["the one after it", "b", ["a", "b", "c", "d"], "d"],
  ["the first of all after the last one", "d", ["a", "b", "d"], "a"],
  ["the first one for one that left the list", "gone", ["b", "d"], "b"],
  ["the first one when none is open", null, ["b"], "b"],
  ["none when only it needs a reply", "b", ["b"], null],
  ["none when all have one", "b", [], null],
])("the next conversation to answer is %s", (_, from, needing, expected) => {
  expect(nextToAnswer(["a", "b", "c", "d"], from, (id) => id !== "c" && needing.includes(id))).toBe(expected);
});
