import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { functions } from "#base/config/names.ts";
import { PROJECT } from "../../docs/markdown.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-release-check-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (...words: readonly string[]) =>
  spawnSync(process.execPath, ["bin/release-check.ts", ...words, folder], { cwd: PROJECT, encoding: "utf8" });

it("this version passes, and leaves its bill of materials and the source map of each function", () => {
  const { status, stderr } = check();
  expect([status, stderr]).toEqual([0, ""]);
  expect(readdirSync(folder).sort()).toEqual(["parley.cdx.json", "source-maps"]);
  for (const name of functions) {
    const map = JSON.parse(readFileSync(join(folder, "source-maps", `${name}.mjs.map`), "utf8"));
    const sources = (map.sources as string[]).map((source) => source.replace(/^(\.\.\/)+/, ""));
    expect(sources).toContain("shared/base/config/settings.ts");
    expect(new SourceMap(map).payload.version).toBe(3);
  }
}, 120_000);

it("a tag of another version and an unknown last release are refused, each in one line", () => {
  const tagged = check("--tag", "v99.0.0");
  expect([tagged.status, tagged.stderr]).toEqual([
    1,
    expect.stringMatching(/^The tag v99\.0\.0 is not v\d+\.\d+\.\d+, the version of package\.json\.\n$/),
  ]);
  const since = check("--since", "v98.0.0");
  expect([since.status, since.stderr]).toEqual([
    1,
    "Unknown release v98.0.0. Fetch the tags, or name another one with --since.\n",
  ]);
}, 240_000);
