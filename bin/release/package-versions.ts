/** One of the packages that a release publishes. */
export interface PublishedPackage {
  /** Its folder, such as `packages/client`. */
  readonly folder: string;
  /** The text of its package.json or pyproject.toml. */
  readonly description: string;
  /** The text of its CHANGELOG.md. Null without one. */
  readonly changeLog: string | null;
}

/** Packages that are published in npm and PyPI, by their folders in `packages`. Others are bundled into these. */
export const publishedFolders = [
  "client",
  "cli",
  "dev",
  "receiver",
  "simulator",
  "local-aws",
  "receiver-python",
] as const;

/**
 * What is wrong with the packages of a release: another version than the release's, no change log, or a change log without
 * entries for the version.
 * @param version of the release, such as `0.2.0`
 */
export function packageVersionProblems(version: string, packages: readonly PublishedPackage[]): string[] {
  return packages.flatMap(({ folder, description, changeLog }) => {
    const packageVersion = versionIn(description);
    return [
      ...(packageVersion === version
        ? []
        : [
            `${folder} has ${packageVersion === null ? "no version" : `the version ${packageVersion}`}, and the release ${version}.`,
          ]),
      ...changeLogProblems(folder, version, changeLog),
    ];
  });
}

/** Of a package.json or a pyproject.toml. */
function versionIn(description: string): string | null {
  // Super-linear: the descriptions are those of this repository.
  return /^\s*"?version"?\s*[:=]\s*"([^"]+)",?$/m.exec(description)?.[1] ?? null;
}

function changeLogProblems(folder: string, version: string, changeLog: string | null): string[] {
  if (changeLog === null) return [`${folder} has no CHANGELOG.md.`];
  const [, section] = `\n${changeLog}`.split(`\n## ${version}\n`);
  if (section === undefined) return [`${folder}/CHANGELOG.md has no section "## ${version}".`];
  const [entries = ""] = section.split("\n## ");
  return /^- \S/m.test(entries) ? [] : [`The section "## ${version}" of ${folder}/CHANGELOG.md has no entry.`];
}
