import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT, readPage } from "./markdown.ts";

const rows = [...readPage("test/README.md").matchAll(/^\| `(test\/[\w/-]+)` \| \S/gm)].map(([, folder]) => folder);

it.each(["test", "test/support"])("the manual of the tests has a row for each folder of %s", (parent) => {
  const folders = readdirSync(join(PROJECT, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`);
  expect(rows.filter((folder = "") => folder.slice(0, folder.lastIndexOf("/")) === parent).sort()).toEqual(
    folders.sort(),
  );
});
