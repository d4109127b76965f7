import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lockedClosure } from "./lock-file.ts";

const DEVELOPMENT = { name: "cdx:npm:package:development", value: "true" };

interface Component {
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** As npm lists it. */
interface ListedComponent extends Component {
  readonly purl: string;
}

export interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

interface ListedBom extends Bom {
  readonly components: readonly ListedComponent[];
}

/** What the build of the console contains, so that it is deployed, although no function imports it. */
export const consolePackages: readonly string[] = [
  "@fontsource-variable/inter",
  "@tanstack/react-query",
  "@tanstack/react-virtual",
  "lucide-react",
  "react",
  "react-dom",
  "wouter",
];

/** The bill of materials of a project in the CycloneDX format. @param base the folder of its lock file */
export function projectBom(base: string): Bom {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const text = execFileSync("npm", args, { cwd: base, encoding: "utf8", maxBuffer: 64 * 2 ** 20 });
  return toProjectBom(JSON.parse(text) as ListedBom, base);
}

/** Whether a component is marked as one that is not deployed. */
export function isDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name, value }) => name === DEVELOPMENT.name && value === DEVELOPMENT.value);
}

/**
 * npm names the project after its folder and a package with an alias after the alias, takes the programs of the platforms
 * for a part of the project, and the console for none.
 */
function toProjectBom(bom: ListedBom, base: string): Bom {
  const { name, optionalDependencies } = JSON.parse(readFileSync(join(base, "package.json"), "utf8")) as {
    readonly name: string;
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const ofConsole = new Set(lockedClosure(base, consolePackages).map((entry) => `${entry.name}@${entry.version}`));
  const components = bom.components.map((listed) => {
    const component = { ...listed, name: publishedName(listed) };
    const others = (component.properties ?? []).filter((property) => property.name !== DEVELOPMENT.name);
    if (component.name in optionalDependencies) return { ...component, properties: [...others, DEVELOPMENT] };
    return ofConsole.has(`${component.name}@${component.version}`) ? { ...component, properties: others } : component;
  });
  return { ...bom, metadata: { ...bom.metadata, component: { ...bom.metadata.component, name } }, components };
}

/** The name in the component's package URL, such as `pkg:npm/%40types/node@24.0.0`. */
function publishedName({ purl }: ListedComponent): string {
  return decodeURIComponent(purl.slice("pkg:npm/".length, purl.lastIndexOf("@")));
}
