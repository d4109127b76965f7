// Checks what a release must have: `npm run release:check -- [--tag vX.Y.Z] [--since REF] [FOLDER]`. It compares with the last
// release, which is the last tag before this commit unless `--since` names another one. FOLDER, by default `.release`, gets the
// bill of materials and the source maps.

import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { functions } from "#base/config/names.ts";
import { bundleBudgets } from "../lib/bundles/bundle-budgets.ts";
import { bundleFunctions, readBundleSources } from "../lib/bundles/bundle-functions.ts";
import { folderBytes } from "../lib/bundles/bundle-sizes.ts";
import { lockedPackages } from "./packages/lock-file.ts";
import { packageFolders } from "./packages/package-folders.ts";
import { projectBom } from "./packages/sbom.ts";
import { bundleProblems, filesBelow } from "./release/bundle-problems.ts";
import { packageProblems } from "./release/deployed-packages.ts";
import { packageVersionProblems, publishedFolders } from "./release/package-versions.ts";
import { notedChanges, type ReleaseFiles, upgradeNoteProblems } from "./release/upgrade-notes.ts";

const project = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  options: { tag: { type: "string" }, since: { type: "string" } },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? join(project, ".release"));
const { version } = JSON.parse(readFile("package.json")) as { version: string };

function readFile(path: string): string {
  return readFileSync(join(project, path), "utf8");
}

/** The output of git, or null if it fails. */
function git(...args: readonly string[]): string | null {
  try {
    const options = {
      cwd: project,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 26,
    } satisfies ExecFileSyncOptionsWithStringEncoding;
    return execFileSync("git", args, options).trim();
  } catch {
    return null;
  }
}

function releaseFiles(read: (path: string) => string): ReleaseFiles {
  return {
    stateful: read("test/lib/stacks/stateful/released.json"),
    migrations: read("shared/features/migrations/store/steps.ts"),
    exports: read("test/lib/stacks/exports.test.ts"),
  };
}

function versionProblems(): string[] {
  const { tag } = values;
  if (tag !== undefined && tag !== `v${version}`)
    return [`The tag ${tag} is not v${version}, the version of package.json.`];
  const last = values.since ?? git("describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD^");
  const changeLog = readFile("CHANGELOG.md");
  // Before a version is named, its changes stand below "Unreleased".
  const heading = tag !== undefined || changeLog.includes(`\n## ${version}\n`) ? version : "Unreleased";
  if (last === null) {
    process.stdout.write("No earlier release: no upgrade note is needed.\n");
    return upgradeNoteProblems(changeLog, heading, []);
  }
  const missing = git("rev-parse", "--verify", `${last}^{commit}`) === null;
  if (missing) return [`Unknown release ${last}. Fetch the tags, or name another one with --since.`];
  // A file that the last release did not have says that it had none of this.
  const before = releaseFiles((path) => git("show", `${last}:${path}`) ?? (path.endsWith(".json") ? "{}" : ""));
  const changes = notedChanges(before, releaseFiles(readFile));
  process.stdout.write(`${changes.length} changes since ${last} need an upgrade note.\n`);
  return upgradeNoteProblems(changeLog, heading, changes);
}

/** Of the packages that the tag publishes. */
function publishedProblems(): string[] {
  const packages = publishedFolders.map((name) => {
    const folder = `packages/${name}`;
    const file = existsSync(join(project, folder, "package.json")) ? "package.json" : "pyproject.toml";
    const changeLog = existsSync(join(project, folder, "CHANGELOG.md")) ? readFile(`${folder}/CHANGELOG.md`) : null;
    return { folder, description: readFile(`${folder}/${file}`), changeLog };
  });
  return packageVersionProblems(version, packages);
}

function buildProblems(): string[] {
  const folder = mkdtempSync(join(tmpdir(), "parley-release-"));
  try {
    const folders = bundleFunctions(folder);
    const sources = readBundleSources();
    const maps = join(out, "source-maps");
    mkdirSync(maps, { recursive: true });
    const bom = projectBom(project);
    writeFileSync(join(out, "parley.cdx.json"), `${JSON.stringify(bom, null, 2)}\n`);
    const ofBundles = functions.flatMap((name) => {
      const { code, sourceMap } = sources[name];
      writeFileSync(join(maps, `${name}.mjs.map`), sourceMap);
      return bundleProblems({
        name,
        bytes: folderBytes(folders[name]),
        budget: bundleBudgets[name],
        files: filesBelow(folders[name]),
        deployed: readFileSync(join(folders[name], "index.mjs"), "utf8"),
        mapped: Buffer.from(code).toString("utf8"),
        sourceMap,
      });
    });
    const inputs = functions.flatMap((name) => sources[name].inputs);
    const consoleText = readFileSync(join(folders.Web, "console", "licenses.txt"), "utf8");
    const locked = lockedPackages(project);
    return [...ofBundles, ...packageProblems({ folders: packageFolders(inputs), consoleText, locked, bom })];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// A wrong tag or a missing note is shown before anything is built.
const beforeBuild = [...versionProblems(), ...publishedProblems()];
const problems = beforeBuild.length > 0 ? beforeBuild : buildProblems();
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write(`The release ${version} can be tagged. ${out} has its bill of materials and source maps.\n`);
