import { readFileSync } from "node:fs";
import { openWorkspace } from "../support/pipeline/workspace.ts";
import { startPipeline } from "../support/pipeline.ts";
import { openWorldTable } from "../support/world/world-table.ts";
import { observeCalls, type Walk } from "./executed-files.ts";
import { operations } from "./walks.ts";

// npm run walks [-- --check | --files]: the files, folders and rooms that an operation passes. `--files` lists them, and `--check`
// compares their numbers with ARCHITECTURE.md and with the limits of `walks.ts`.

const PAGE = new URL("../../ARCHITECTURE.md", import.meta.url);

/** On a busy machine a call may be repeated, which executes further files. Then a comparison measures again. */
const MEASURES_MAX = 3;

async function measure(): Promise<Map<string, Walk>> {
  const pipeline = await startPipeline({ isMetered: false, startTable: openWorldTable });
  const observed = await observeCalls();
  const walks = new Map<string, Walk>();
  for (const [index, { name, prepare }] of operations.entries()) {
    const slug = `walk-${String(index + 1).padStart(6, "0")}`;
    const workspace = await openWorkspace(pipeline, { slug, platform: "instagram", endpoints: 1 });
    walks.set(name, await observed.walk(await prepare(pipeline, workspace)));
  }
  observed.close();
  await pipeline.close();
  return walks;
}

const toRows = (walks: ReadonlyMap<string, Walk>) =>
  [...walks].map(
    ([name, { files, folders, rooms }]) => `| ${name} | ${files.length} | ${folders.length} | ${rooms.length} |`,
  );

/** What is wrong with the numbers: a row that ARCHITECTURE.md lacks, a walk above its limit. */
async function problems(): Promise<string[]> {
  const page = readFileSync(PAGE, "utf8");
  const walks = await measure();
  const missing = toRows(walks).filter((row) => !page.includes(`${row}\n`));
  const above = operations.filter(({ name, limit }) => {
    const { files = [], folders = [], rooms = [] } = walks.get(name) ?? {};
    return files.length > limit.files || folders.length > limit.folders || rooms.length > limit.rooms;
  });
  return [
    ...missing.map((row) => `ARCHITECTURE.md lacks the row ${row}`),
    ...above.map(
      ({ name, limit: { files, folders, rooms } }) =>
        `${name} passes more than ${files} files in ${folders} folders and ${rooms} rooms.`,
    ),
  ];
}

if (process.argv.includes("--check")) {
  let found = await problems();
  for (let count = 1; found.length > 0 && count < MEASURES_MAX; count++) found = await problems();
  for (const problem of found) console.error(problem);
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  const walks = await measure();
  for (const row of toRows(walks)) console.log(row);
  if (process.argv.includes("--files")) {
    for (const [name, { files }] of walks) console.log(`\n${name}\n${files.join("\n")}`);
  }
}
// Idle connections of the clients would keep the process for a minute.
process.exit();
