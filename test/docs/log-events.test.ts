import { expect, it } from "vitest";
import { levels } from "#base/aws/log.ts";
import { readPage } from "./markdown.ts";

/** A row of the table has one or more events, and one level for all of them or one for each. */
const rows = [...readPage("docs/operate/monitoring.md").matchAll(/^\| (`\w+\.\w+`.*?) \| ([\w, ]+) \|/gm)].flatMap(
  ([, events = "", documentedLevels = ""]) => {
    const each = documentedLevels.split(", ");
    return events.split(", ").map((event, index) => [event.replaceAll("`", ""), each[index] ?? each[0]] as const);
  },
);

it("docs/operate/monitoring.md lists each log event once, with its level", () => {
  expect(Object.fromEntries(rows)).toEqual(levels);
  expect(rows).toHaveLength(Object.keys(levels).length);
});
