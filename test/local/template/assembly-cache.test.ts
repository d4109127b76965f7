import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { assemblyKey, openAssemblyCache } from "../../../local/template/assembly-cache.ts";
import { newTempFolder } from "../../support/assemblies/assemblies.ts";

const folder = newTempFolder();
afterAll(folder.remove);
let count = 0;
const newFolder = (): string => join(folder.path, String(count++));

function writeFiles(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const sources = {
  "lib/a.ts": "a",
  "shared/deep/b.ts": "b",
  "functions/c.ts": "c",
  "web/d.ts": "d",
  "package.json": "{}",
};

describe("the key of an assembly", () => {
  const project = writeFiles(newFolder(), sources);
  const key = assemblyKey(project, { x: "1", y: "2" });

  it("the key of an assembly is the same for the same sources in another folder, and does not depend on the order of the context", () => {
    expect(assemblyKey(writeFiles(newFolder(), sources), { y: "2", x: "1" })).toBe(key);
  });

  it.each([
    ["a changed source", { "lib/a.ts": "A" }],
    ["a new source", { "functions/new.ts": "" }],
    ["a source moved to another folder", { "lib/a.ts": "", "lib/deep/a.ts": "a" }],
    ["a source of the check page", { "web/d.ts": "D" }],
    ["the client that the pages use", { "packages/client/src/index.ts": "A" }],
    ["a page of the documentation", { "docs/guides/sending.md": "A" }],
    ["the installed packages", { "node_modules/.package-lock.json": "{}" }],
  ])("the key of an assembly changes with %s", (_what, changed) => {
    expect(assemblyKey(writeFiles(newFolder(), { ...sources, ...changed }), { x: "1", y: "2" })).not.toBe(key);
  });

  it("the key of an assembly changes with a setting and with the CDK's own variables", () => {
    expect(assemblyKey(project, { x: "1", y: "3" })).not.toBe(key);
    process.env.CDK_CONTEXT_JSON = "{}";
    try {
      expect(assemblyKey(project, { x: "1", y: "2" })).not.toBe(key);
    } finally {
      delete process.env.CDK_CONTEXT_JSON;
    }
  });

  it("the key of an assembly ignores files that no assembly is made from", () => {
    writeFiles(project, { "docs/design/states.md": "text", "test/a.test.ts": "test" });
    expect(assemblyKey(project, { x: "1", y: "2" })).toBe(key);
  });
});

const assembly = writeFiles(newFolder(), { "A.template.json": "{}", "asset.1/index.mjs": "code" });

it("the cache restores a copy of a stored assembly, and nothing for another key", () => {
  const cache = openAssemblyCache(newFolder());
  cache.store("one", assembly);
  const [hit, miss] = [newFolder(), newFolder()];
  expect([cache.restore("one", hit), cache.restore("two", miss)]).toEqual([true, false]);
  expect(readFileSync(join(hit, "asset.1/index.mjs"), "utf8")).toBe("code");
  expect(() => readdirSync(miss)).toThrow("ENOENT");
  rmSync(join(hit, "asset.1"), { recursive: true });
  expect(cache.restore("one", newFolder())).toBe(true);
});

it("the cache stores the first of two assemblies with one key, and leaves no other file", () => {
  const root = newFolder();
  const cache = openAssemblyCache(root);
  for (let times = 0; times < 2; times++) cache.store("one", assembly);
  expect(readdirSync(root)).toEqual(["one"]);
});

it("the cache removes the entry that was used least recently when there are more than five", () => {
  const root = newFolder();
  const cache = openAssemblyCache(root);
  for (const [age, key] of ["a", "b", "c", "d", "e"].entries()) {
    cache.store(key, assembly);
    utimesSync(join(root, key), age + 1, age + 1);
  }
  expect(cache.restore("a", newFolder())).toBe(true);
  cache.store("f", assembly);
  expect(readdirSync(root).sort()).toEqual(["a", "c", "d", "e", "f"]);
});

it("the cache is a miss if it cannot be written", () => {
  const file = join(writeFiles(newFolder(), { file: "" }), "file");
  const cache = openAssemblyCache(join(file, "below"));
  cache.store("one", assembly);
  expect(cache.restore("one", newFolder())).toBe(false);
});
