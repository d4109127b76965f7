/** What of a release changes the stored data of a deployment, or what its stacks have in common. */
export interface ReleaseFiles {
  /** test/lib/stacks/stateful/released.json. */
  readonly stateful: string;
  /** shared/features/migrations/store/steps.ts. */
  readonly migrations: string;
  /** test/lib/stacks/exports.test.ts, with the exports of the data stack. */
  readonly exports: string;
}

/** What the upgrade notes must name, each as they must write it. @param before the files of the last release */
export function notedChanges(before: ReleaseFiles, now: ReleaseFiles): readonly string[] {
  const [resourcesBefore, resources] = [before.stateful, now.stateful].map(
    (text) => JSON.parse(text) as Readonly<Record<string, unknown>>,
  ) as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  const ids = [...new Set([...Object.keys(resourcesBefore), ...Object.keys(resources)])];
  return [
    ...ids.filter((id) => JSON.stringify(resourcesBefore[id]) !== JSON.stringify(resources[id])),
    ...difference(migrationSteps(before.migrations), migrationSteps(now.migrations)),
    ...difference(exportNames(before.exports), exportNames(now.exports)),
  ].sort();
}

const migrationSteps = (text: string) =>
  [...text.matchAll(/^ +number: (\d+),$/gm)].map(([, number]) => `migration ${number}`);
const exportNames = (text: string) => [...text.matchAll(/"ParleyData:(Exports\w+)"/g)].map(([, name = ""]) => name);

/** What only one of two lists has. */
function difference(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((each) => !other.includes(each)), ...other.filter((each) => !one.includes(each))];
}

/**
 * What the change log lacks: an item of the section "Upgrade" of the version for each change, in backticks, that says whether it can be
 * rolled back.
 * @param heading of the version, such as `0.2.0`
 */
export function upgradeNoteProblems(changeLog: string, heading: string, changes: readonly string[]): string[] {
  const version = section(changeLog, `## ${heading}`);
  if (version === null) return [`CHANGELOG.md has no section "## ${heading}".`];
  if (changes.length === 0) return [];
  const upgrade = section(version, "### Upgrade");
  if (upgrade === null) {
    return [`CHANGELOG.md has no section "### Upgrade" below "## ${heading}". It must name: ${changes.join(", ")}.`];
  }
  const items = upgrade.split(/^- /m).map((item) => item.replace(/\s+/g, " "));
  return changes.flatMap((change) => {
    const item = items.find((each) => each.includes(`\`${change}\``));
    if (item === undefined) return [`"### Upgrade" of "## ${heading}" has no item with \`${change}\`.`];
    return /\b(can|cannot) be rolled back\b/.test(item)
      ? []
      : [`The item of \`${change}\` in "### Upgrade" does not say whether it can or cannot be rolled back.`];
  });
}

/** The text below a heading, up to the next one of its level or above. Null without the heading. */
function section(text: string, heading: string): string | null {
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => headingLevel(line) <= headingLevel(heading));
  return (end < 0 ? rest : rest.slice(0, end)).join("\n");
}

/** From 1. Infinity for a line that is no heading. */
function headingLevel(line: string): number {
  const marks = /^#{1,6} /.exec(line)?.[0];
  return marks === undefined ? Number.POSITIVE_INFINITY : marks.length - 1;
}
