import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageVersionProblems, publishedFolders } from "../../../bin/release/package-versions.ts";
import { PROJECT } from "../../docs/markdown.ts";

const changeLog = "# Changelog\n\n## 0.2.0\n\n- A change.\n\n## 0.1.0\n\n- The first version.\n";
const npmPackage = { folder: "packages/client", description: '{\n  "name": "a",\n  "version": "0.2.0",\n}', changeLog };
const pythonPackage = { folder: "packages/python", description: '[project]\nversion = "0.2.0"\n', changeLog };

it("packages with the version of the release and entries in their change logs have no problem", () => {
  expect(packageVersionProblems("0.2.0", [npmPackage, pythonPackage])).toEqual([]);
});

it("a package of another version is named, of npm and of Python", () => {
  const logs = changeLog.replace("0.2.0", "0.3.0");
  expect(
    packageVersionProblems(
      "0.3.0",
      [npmPackage, pythonPackage].map((one) => ({ ...one, changeLog: logs })),
    ),
  ).toEqual([
    "packages/client has the version 0.2.0, and the release 0.3.0.",
    "packages/python has the version 0.2.0, and the release 0.3.0.",
  ]);
});

it.each([
  [null, "packages/client has no CHANGELOG.md."],
  ["# Changelog\n\n## Unreleased\n\n- A change.\n", 'packages/client/CHANGELOG.md has no section "## 0.2.0".'],
  [
    "# Changelog\n\n## 0.2.0\n\n## 0.1.0\n\n- The first version.\n",
    'The section "## 0.2.0" of packages/client/CHANGELOG.md has no entry.',
  ],
])("a package with the change log %j is named", (log, problem) => {
  expect(packageVersionProblems("0.2.0", [{ ...npmPackage, changeLog: log }])).toEqual([problem]);
});

it("the packages of a release are those of the repository that are published", () => {
  const folders = readdirSync(join(PROJECT, "packages")).filter((name) => {
    const files = readdirSync(join(PROJECT, "packages", name));
    return files.includes("package.json") || files.includes("pyproject.toml");
  });
  expect([...publishedFolders].sort()).toEqual(folders.sort());
  for (const name of publishedFolders.filter((one) => one !== "receiver-python")) {
    const { publishConfig, license } = JSON.parse(
      readFileSync(join(PROJECT, "packages", name, "package.json"), "utf8"),
    ) as Record<string, unknown>;
    expect([name, publishConfig, license]).toEqual([name, { access: "public", provenance: true }, "Apache-2.0"]);
  }
});

it("a change log compares the number of its package only with that of the release", () => {
  const sentences = publishedFolders.flatMap((name) => {
    const text = readFileSync(join(PROJECT, "packages", name, "CHANGELOG.md"), "utf8");
    return text.match(/[^.\n]*\bsame number\b[^.\n]*/g) ?? [];
  });
  expect(sentences).not.toEqual([]);
  expect(sentences.filter((sentence) => !/\brelease\b/.test(sentence))).toEqual([]);
});
