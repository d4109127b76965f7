import { expect, it } from "vitest";
import { packageFolders } from "../../../bin/packages/package-folders.ts";
import { consoleLicenses, packageProblems } from "../../../bin/release/deployed-packages.ts";

const locked = [
  { path: "node_modules/zod", name: "zod", version: "4.0.0", license: "MIT" },
  { path: "node_modules/a/node_modules/@b/c", name: "@b/c", version: "1.0.0", license: "ISC" },
  { path: "node_modules/react", name: "react", version: "19.0.0", license: "MIT", dev: true },
];
const bom = {
  metadata: { component: { name: "parley", version: "0.1.0" } },
  components: locked.map(({ name, version }) => ({ name, version })),
};
const sound = {
  folders: ["node_modules/a/node_modules/@b/c", "node_modules/zod"],
  consoleText: "# Licenses\n\n## react - 19.0.0 (MIT)\n\nMIT License\n",
  locked,
  bom,
};

it("the packages of a bundle are the folders of its files, also of a package within another", () => {
  const files = ["functions/api/handler.ts", "node_modules/zod/index.js", "node_modules/zod/v4/core.js"];
  expect(packageFolders([...files, "node_modules/a/node_modules/@b/c/x.js"])).toEqual(sound.folders);
});

it("the licenses of the console are those that its build lists", () => {
  expect(consoleLicenses(sound.consoleText)).toEqual([{ identity: "react@19.0.0", license: "MIT" }]);
});

it("deployed packages of the lock file with permitted licenses and a place in the bill of materials have no problem", () => {
  expect(packageProblems(sound)).toEqual([]);
});

const withLicense = (name: string, license: string) =>
  locked.map((entry) => (entry.name === name ? { ...entry, license } : entry));
const development = { name: "cdx:npm:package:development", value: "true" };

it.each<[string, Partial<typeof sound>, string]>([
  [
    "a function contains with an unknown license",
    { locked: withLicense("zod", "GPL-3.0-only") },
    "zod@4.0.0 has the license GPL-3.0-only.",
  ],
  [
    "the console contains with an unknown license",
    { locked: withLicense("react", "Custom") },
    "react@19.0.0 has the license Custom.",
  ],
  [
    "a function contains with a license that only development may have",
    {
      locked: [
        ...locked,
        { path: "node_modules/axe-core", name: "axe-core", version: "1.0.0", license: "MPL-2.0", dev: true },
      ],
      folders: ["node_modules/axe-core"],
      bom: { ...bom, components: [...bom.components, { name: "axe-core", version: "1.0.0" }] },
    },
    "axe-core@1.0.0 has the license MPL-2.0.",
  ],
  [
    "the lock file does not have",
    { folders: ["node_modules/left"] },
    "node_modules/left is bundled, and package-lock.json has no such package.",
  ],
  [
    "the console contains in another version",
    { consoleText: "## react - 18.0.0 (MIT)\n" },
    "The console contains react@18.0.0, and package-lock.json does not.",
  ],
  [
    "the bill of materials does not have",
    { bom: { ...bom, components: bom.components.slice(1) } },
    "The bill of materials does not have zod@4.0.0, which is deployed.",
  ],
  [
    "the bill of materials marks as development",
    {
      bom: {
        ...bom,
        components: bom.components.map((each) => ({
          ...each,
          ...(each.name === "react" ? { properties: [development] } : {}),
        })),
      },
    },
    "The bill of materials marks react@19.0.0 as development, and it is deployed.",
  ],
])("a package that %s is refused", (_, change, problem) => {
  const problems = packageProblems({ ...sound, ...change });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

it("a console without a list of licenses is refused", () => {
  expect(packageProblems({ ...sound, consoleText: "" })).toEqual([
    "The console names no license. Its build writes licenses.txt.",
  ]);
});
