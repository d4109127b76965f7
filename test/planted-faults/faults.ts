import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlantedFault } from "./planted-fault.ts";

const folder = join(import.meta.dirname, "faults");

/**
 * The faults of all files in `faults`. Lines before the first fault are a comment. Each fault is
 *
 *     # what is wrong with the code
 *     in shared/base/the-changed-file.ts
 *     - code that is replaced
 *     + its replacement, of any number of lines, or none
 *     noticed by test/base/the-file.test.ts: the title of the test
 *
 * Code is without the two characters before it, and without a line break at its end: an empty line stands for one.
 */
export const plantedFaults: readonly PlantedFault[] = globSync("**/*.txt", { cwd: folder })
  .toSorted()
  .flatMap((file) => parseFaults(readFileSync(join(folder, file), "utf8"), file));

function parseFaults(text: string, file: string): PlantedFault[] {
  const [, ...faults] = `\n${text}`.split("\n# ");
  return faults.map((fault) => {
    const [name = "", inFile = "", ...rest] = fault.trimEnd().split("\n");
    const noticed = /^noticed by (\S+\.test\.ts): (.+)$/.exec(rest.pop() ?? "");
    if (!inFile.startsWith("in ") || !noticed || rest.some((line) => !/^[-+]( |$)/.test(line)))
      throw new Error(`${file} has a fault of another form: ${name}`);
    const code = (sign: string) =>
      rest
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(2))
        .join("\n");
    const [, testFile = "", title = ""] = noticed;
    return {
      name,
      file: inFile.slice("in ".length),
      search: code("-"),
      replacement: code("+"),
      killedBy: { file: testFile, title },
    };
  });
}
