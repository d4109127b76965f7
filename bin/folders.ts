// Refuses a folder that has grown too large to survey: `node bin/folders.ts [root]`.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FILES_MAX = 20;
const roots = ["shared", "functions", "local", "lib", "bin", "web", "test", "packages"];

const [base = "."] = process.argv.slice(2);
const crowded = roots.filter((root) => existsSync(join(base, root))).flatMap(crowdedFolders);
for (const { folder, files } of crowded) {
  console.error(`${folder} holds ${files} files. Split it into folders of at most ${FILES_MAX} files.`);
}
process.exitCode = crowded.length > 0 ? 1 : 0;

function crowdedFolders(folder: string): { folder: string; files: number }[] {
  const entries = readdirSync(join(base, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  return [
    ...(files > FILES_MAX ? [{ folder, files }] : []),
    ...entries.filter((entry) => entry.isDirectory()).flatMap((entry) => crowdedFolders(`${folder}/${entry.name}`)),
  ];
}
