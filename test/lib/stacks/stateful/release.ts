// `npm run stateful:release`: what is stateful now becomes that of the last release. With `--accept ID` also a change of
// that resource, whose effect on the data of every deployment is named in the change log.

import { readFileSync, writeFileSync } from "node:fs";
import { synthesizeTemplates } from "../../synth-templates.ts";
import { statefulChanges } from "./changes.ts";
import { statefulResources } from "./stateful-resources.ts";

const file = new URL("released.json", import.meta.url);
const accepted = process.argv.flatMap((word, index, words) => (words[index - 1] === "--accept" ? [word] : []));

const current = statefulResources(synthesizeTemplates());
const changes = statefulChanges(JSON.parse(readFileSync(file, "utf8")), current).filter(
  (line) => !accepted.some((id) => line.startsWith(`${id} `)),
);
if (changes.length > 0) {
  process.stderr.write(
    `${changes.map((line) => `- ${line}`).join("\n")}\nSee CONTRIBUTING.md, Change what is stored.\n`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify(current, null, 1)}\n`);
}
