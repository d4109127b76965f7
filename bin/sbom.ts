// Writes the bill of materials in the CycloneDX format: `node bin/sbom.ts FILE`. It has every package of the lock file.
// Those with the property `cdx:npm:package:development` are not deployed.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const DEVELOPMENT = { name: "cdx:npm:package:development", value: "true" };

interface Component {
  readonly name: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("Missing file. Run `npm run sbom FILE`.\n");
  process.exitCode = 1;
} else {
  writeFileSync(resolve(file), `${JSON.stringify(toProjectBom(npmBom()), null, 2)}\n`);
}

function npmBom(): Bom {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  return JSON.parse(execFileSync("npm", args, { cwd: project, encoding: "utf8", maxBuffer: 64 * 2 ** 20 })) as Bom;
}

/** npm names the project after its folder, and takes the programs of the platforms for a part of it. */
function toProjectBom(bom: Bom): Bom {
  const { name, optionalDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    readonly name: string;
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const components = bom.components.map((component) =>
    component.name in optionalDependencies
      ? { ...component, properties: [...(component.properties ?? []), DEVELOPMENT] }
      : component,
  );
  return { ...bom, metadata: { ...bom.metadata, component: { ...bom.metadata.component, name } }, components };
}
