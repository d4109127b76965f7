import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, expect, it } from "vitest";
import { lockedClosure, lockedPackages } from "../../../bin/packages/lock-file.ts";
import { consolePackages } from "../../../bin/packages/sbom.ts";
import { PROJECT } from "../markdown.ts";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly object[];
  readonly licenses?: readonly object[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const folder = mkdtempSync(join(tmpdir(), "parley-sbom-"));
afterAll(() => rmSync(folder, { recursive: true }));
execFileSync(process.execPath, [join(PROJECT, "bin/sbom.ts"), join(folder, "bom.json")]);
const text = readFileSync(join(folder, "bom.json"), "utf8");
const bom = JSON.parse(text) as Bom;
const packages = lockedPackages(PROJECT);

it("the bill of materials is valid CycloneDX 1.5", () => {
  const schemas = join(PROJECT, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
  const readSchema = (name: string) => JSON.parse(readFileSync(join(schemas, name), "utf8"));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  // The schema names the other two by their files.
  for (const name of ["jsf-0.82.SNAPSHOT.schema.json", "spdx.SNAPSHOT.schema.json"]) {
    const { $id, ...schema } = readSchema(name);
    ajv.addSchema(schema, `http://cyclonedx.org/schema/${name}`);
  }
  const validate = ajv.compile(readSchema("bom-1.5.SNAPSHOT.schema.json"));
  validate(bom);
  expect(validate.errors).toBeNull();
  expect(validate({ ...bom, components: [{ name: "zod" }] })).toBe(false);
});

it("the bill of materials is about this version of Parley, and has no path or address", () => {
  const { name, version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(bom.metadata.component).toMatchObject({
    name,
    version,
    type: "application",
    purl: `pkg:npm/${name}@${version}`,
  });
  expect(text.match(/"[^"]*(file:|https?:\/\/|\/node_modules\/)[^"]*"/g)).toEqual([
    '"http://cyclonedx.org/schema/bom-1.5.schema.json"',
  ]);
  expect(text).not.toContain(PROJECT.replace(/\/$/, ""));
});

it("the bill of materials has every package of the lock file with its license, and its hash unless another one bundles it", () => {
  const identity = ({ name, version }: { readonly name: string; readonly version: string }) => `${name}@${version}`;
  expect(new Set(bom.components.map(identity))).toEqual(new Set(packages.map(identity)));
  expect(bom.components.filter(({ licenses }) => !licenses?.length)).toEqual([]);
  const isBundled = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === "cdx:npm:package:bundled");
  expect(bom.components.filter((component) => !component.hashes?.length && !isBundled(component))).toEqual([]);
  const refs = new Set([bom.metadata.component, ...bom.components].map((component) => component["bom-ref"]));
  expect(bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref))).toEqual(
    [],
  );
});

it("the bill of materials marks what is not deployed: the packages of development outside of the console, and the programs of the platforms", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  const isDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");
  const inConsole = new Set(lockedClosure(PROJECT, consolePackages).map(({ path }) => path));
  const deployed = packages
    .filter(({ name, dev, path }) => inConsole.has(path) || (!dev && !(name in optionalDependencies)))
    .map(({ name }) => name);
  expect(new Set(bom.components.filter((part) => !isDevelopment(part)).map(({ name }) => name))).toEqual(
    new Set(deployed),
  );
  for (const name of ["zod", "react", "scheduler"]) expect(deployed).toContain(name);
  expect(deployed).not.toContain("vitest");
});
