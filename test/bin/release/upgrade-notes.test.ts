import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notedChanges, upgradeNoteProblems } from "../../../bin/release/upgrade-notes.ts";
import { PROJECT } from "../../docs/markdown.ts";

const read = (path: string) => readFileSync(join(PROJECT, path), "utf8");
const now = {
  stateful: read("test/lib/stacks/stateful/released.json"),
  migrations: read("shared/features/migrations/store/steps.ts"),
  exports: read("test/lib/stacks/exports.test.ts"),
};

describe("what needs an upgrade note", () => {
  it("nothing needs a note while nothing stateful, no migration and no export changed", () => {
    expect(notedChanges(now, now)).toEqual([]);
  });

  it("a stateful resource needs a note that is new, changed or removed", () => {
    const resources = JSON.parse(now.stateful) as Record<string, object>;
    const [first = "", second = "", ...others] = Object.keys(resources);
    const { [first]: _, ...before } = { ...resources, [second]: { type: "changed" }, Former1: {} };
    expect(others.length).toBeGreaterThan(3);
    expect(notedChanges({ ...now, stateful: JSON.stringify(before) }, now)).toEqual([first, second, "Former1"].sort());
  });

  it("a migration and an export need a note, in the files as they are", () => {
    const before = {
      ...now,
      migrations: now.migrations.replace(/^ +number: 2,$/m, ""),
      exports: now.exports.replace("ParleyData:ExportsOutputRefTokenKey812BBFC4F86A2BF9", ""),
    };
    expect(notedChanges(before, now)).toEqual(["ExportsOutputRefTokenKey812BBFC4F86A2BF9", "migration 2"]);
    expect(notedChanges(now, before)).toEqual(["ExportsOutputRefTokenKey812BBFC4F86A2BF9", "migration 2"]);
  });
});

describe("the upgrade notes of a version", () => {
  const changeLog = (upgrade: string) =>
    `# Changelog\n\n## 0.3.0\n\n- A change.\n\n${upgrade}\n## 0.2.0\n\n### Upgrade\n\n- \`Table1\` can be rolled back.\n`;
  const changes = ["Table1", "migration 2"];

  it("the notes are complete where each change has an item that says whether it can be rolled back", () => {
    const upgrade =
      "### Upgrade\n\n- `Table1` has a new index. It can be\n  rolled back.\n- `migration 2` cannot be rolled back.\n";
    expect(upgradeNoteProblems(changeLog(upgrade), "0.3.0", changes)).toEqual([]);
  });

  it.each([
    ["", 'has no section "### Upgrade" below "## 0.3.0". It must name: Table1, migration 2.'],
    [
      "### Upgrade\n\n- `migration 2` cannot be rolled back.\n",
      '"### Upgrade" of "## 0.3.0" has no item with `Table1`.',
    ],
    [
      "### Upgrade\n\n- `Table1` has a new index.\n- `migration 2` cannot be rolled back.\n",
      'The item of `Table1` in "### Upgrade" does not say whether it can or cannot be rolled back.',
    ],
  ])("the notes %j are refused, also if an earlier version has them", (upgrade, problem) => {
    const problems = upgradeNoteProblems(changeLog(upgrade), "0.3.0", changes);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("a version without a section of the change log is refused, also if nothing needs a note", () => {
    expect(upgradeNoteProblems(changeLog(""), "0.4.0", [])).toEqual(['CHANGELOG.md has no section "## 0.4.0".']);
    expect(upgradeNoteProblems(changeLog(""), "0.3.0", [])).toEqual([]);
  });
});
