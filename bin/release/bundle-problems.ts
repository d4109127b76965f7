import { readdirSync } from "node:fs";

/** A bundle as it is deployed, and what its source map says. */
export interface BundleFacts {
  readonly name: string;
  readonly bytes: number;
  readonly budget: number;
  /** The files of the bundle's folder, as paths from it. */
  readonly files: readonly string[];
  /** The code that is deployed. */
  readonly deployed: string;
  /** The code that the source map is about. */
  readonly mapped: string;
  readonly sourceMap: string;
}

/** What is wrong with a bundle of a release: its size, its source map, or a map that would be deployed. */
export function bundleProblems(facts: BundleFacts): string[] {
  const { name, bytes, budget, files, deployed, mapped, sourceMap } = facts;
  const maps = files.filter((file) => file.endsWith(".map"));
  return [
    ...(bytes <= budget
      ? []
      : [
          `${name} has ${bytes} bytes, above its budget of ${budget}. Make it smaller, or argue lib/bundles/bundle-budgets.ts.`,
        ]),
    ...maps.map((file) => `${name} would deploy the source map ${file}. Remove it from the bundle.`),
    ...(/[#@] sourceMappingURL=/.test(deployed)
      ? [`${name} names a source map that is not deployed. Build it with \`sourcemap: "external"\`.`]
      : []),
    ...(sourceCount(sourceMap) > 0 ? [] : [`${name} has no source map.`]),
    ...(deployed === mapped ? [] : [`The source map of ${name} is not of the bundle that is deployed.`]),
  ];
}

/** The sources of a source map. 0 if the text is none. */
function sourceCount(text: string): number {
  try {
    const { version, sources, mappings } = JSON.parse(text) as Record<string, unknown>;
    return version === 3 && Array.isArray(sources) && typeof mappings === "string" && mappings !== ""
      ? sources.length
      : 0;
  } catch {
    return 0;
  }
}

/** The files below a folder, as paths from it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
}
