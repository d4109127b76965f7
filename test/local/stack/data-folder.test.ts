import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { lockDataFolder } from "../../../local/stack/data-folder.ts";
import { openPaths } from "../../support/access/file-modes.ts";
import { newTempFolder } from "../../support/assemblies/assemblies.ts";

const folder = newTempFolder();
afterEach(folder.remove);
const data = join(folder.path, "data");
const lock = join(data, "lock");

it("a data folder is locked while a stack runs, and free afterwards", () => {
  const first = lockDataFolder(data, false);
  const again = () => lockDataFolder(data, true);
  expect(again).toThrow(LocalRefusal);
  expect(again).toThrow(new RegExp(`process ${process.pid}.*--data`));
  first.release();
  lockDataFolder(data, false).release();
  expect(readdirSync(data)).toEqual([]);
});

it("a data folder is taken over from a process that has ended", () => {
  lockDataFolder(data, false).release();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(lock, JSON.stringify({ pid }));
  lockDataFolder(data, false).release();
  expect(existsSync(lock)).toBe(false);
});

it("a data folder is taken over if another process has the pid of the ended one", () => {
  lockDataFolder(data, false).release();
  writeFileSync(lock, JSON.stringify({ pid: process.pid, began: "1" }));
  lockDataFolder(data, false).release();
});

it.runIf(process.platform === "linux")("a data folder is taken over from a zombie process", async () => {
  lockDataFolder(data, false).release();
  // The shell starts a process and becomes one that does not wait for it.
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 20"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
  writeFileSync(lock, JSON.stringify({ pid }));
  lockDataFolder(data, false).release();
});

it("a data folder is taken over if its lock is unreadable", () => {
  lockDataFolder(data, false).release();
  writeFileSync(lock, "");
  lockDataFolder(data, false).release();
});

it("a data folder loses the files of a stack with --fresh, and no others", () => {
  const first = lockDataFolder(data, false);
  for (const name of ["clock.json", "seed.json"] as const) writeFileSync(first.at(name), "{}");
  writeFileSync(join(data, "notes.txt"), "mine");
  first.release();
  lockDataFolder(data, false).release();
  expect(readdirSync(data).sort()).toEqual(["clock.json", "notes.txt", "seed.json"]);
  lockDataFolder(data, true).release();
  expect(readdirSync(data)).toEqual(["notes.txt"]);
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it("a data folder of an earlier version becomes its owner's alone, with all that a stack wrote", () => {
  mkdirSync(join(data, "dynamodb"), { recursive: true, mode: 0o755 });
  chmodSync(data, 0o755);
  const file = join(data, "dynamodb", "dynamodb.sqlite");
  for (const path of [file, join(data, "seed.json")]) writeFileSync(path, "{}", { mode: 0o644 });
  const locked = lockDataFolder(data, false);
  expect(openPaths(data)).toEqual([]);
  expect(modeOf(join(data, "lock"))).toBe("600");
  locked.release();
});

it("a data folder of an earlier version is new, and then created as such", () => {
  const locked = lockDataFolder(join(data, "new"), false);
  expect(openPaths(join(data, "new"))).toEqual([]);
  locked.release();
});

it("a data folder of an earlier version in which others have files stays open to them, without those of a stack", () => {
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o755);
  for (const name of ["notes.txt", "seed.json"]) writeFileSync(join(data, name), "{}", { mode: 0o644 });
  lockDataFolder(data, false).release();
  expect([data, join(data, "notes.txt"), join(data, "seed.json")].map(modeOf)).toEqual(["755", "644", "600"]);
});

it("a data folder that cannot be used is refused in one line that names the fix because it is a file", () => {
  lockDataFolder(data, false).release();
  const file = join(folder.path, "a-file");
  writeFileSync(file, "");
  expect(() => lockDataFolder(file, false)).toThrow(
    new LocalRefusal(`Data folder ${file} is a file. Choose a folder with --data or PARLEY_DATA.`),
  );
});

it("a data folder that cannot be used is refused in one line that names the fix because its parent is a file", () => {
  lockDataFolder(data, false).release();
  writeFileSync(join(folder.path, "a-file"), "");
  const path = join(folder.path, "a-file", "data");
  expect(() => lockDataFolder(path, false)).toThrow(
    new LocalRefusal(
      `Cannot use the data folder ${path}: not a directory. Choose another folder with --data or PARLEY_DATA.`,
    ),
  );
});

it("a data folder that cannot be used is refused in one line that names the fix because it is a link to nothing", () => {
  lockDataFolder(data, false).release();
  const path = join(folder.path, "link");
  symlinkSync(join(folder.path, "nowhere"), path);
  expect(() => lockDataFolder(path, false)).toThrow(LocalRefusal);
});

// In this folder Node.js repeats a recursive mkdir without end, so the test would hang without its own process.
it.runIf(process.platform === "linux")(
  "a data folder that cannot be used because its file system accepts no folders is refused without spinning",
  () => {
    const script = `import { lockDataFolder } from ${JSON.stringify(import.meta.resolve("../../../local/stack/data-folder.ts"))};
      try { lockDataFolder("/proc/parley/data", false); } catch ({ name, message }) { console.log(name, message); }`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 20_000,
      encoding: "utf8",
    });
    expect(run.stdout).toBe(
      "LocalRefusal Cannot use the data folder /proc/parley/data: no such file or directory. Choose another folder with --data or PARLEY_DATA.\n",
    );
    expect(run.status).toBe(0);
  },
);
