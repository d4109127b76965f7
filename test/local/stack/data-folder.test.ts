import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { lockDataFolder } from "../../../local/stack/data-folder.ts";
import { LocalRefusal } from "../../../local/support/local-refusal.ts";
import { newTempFolder } from "../assembly-fixture.ts";

const folder = newTempFolder();
afterEach(folder.remove);
const data = join(folder.path, "data");
const lock = join(data, "lock");

describe("a data folder", () => {
  it("is locked while a stack runs, and free afterwards", () => {
    const first = lockDataFolder(data, false);
    const again = () => lockDataFolder(data, true);
    expect(again).toThrow(LocalRefusal);
    expect(again).toThrow(new RegExp(`process ${process.pid}.*--data`));
    first.release();
    lockDataFolder(data, false).release();
    expect(readdirSync(data)).toEqual([]);
  });

  it("is taken over from a process that has ended", () => {
    lockDataFolder(data, false).release();
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(lock, JSON.stringify({ pid }));
    lockDataFolder(data, false).release();
    expect(existsSync(lock)).toBe(false);
  });

  it("is taken over if another process has the pid of the ended one", () => {
    lockDataFolder(data, false).release();
    writeFileSync(lock, JSON.stringify({ pid: process.pid, began: "1" }));
    lockDataFolder(data, false).release();
  });

  it.runIf(process.platform === "linux")("is taken over from a zombie process", async () => {
    lockDataFolder(data, false).release();
    // The shell starts a process and becomes one that does not wait for it.
    const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 20"]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
    writeFileSync(lock, JSON.stringify({ pid }));
    lockDataFolder(data, false).release();
  });

  it("is taken over if its lock is unreadable", () => {
    lockDataFolder(data, false).release();
    writeFileSync(lock, "");
    lockDataFolder(data, false).release();
  });

  it("loses the files of a stack with --fresh, and no others", () => {
    const first = lockDataFolder(data, false);
    for (const name of ["clock.json", "seed.json"] as const) writeFileSync(first.at(name), "{}");
    writeFileSync(join(data, "notes.txt"), "mine");
    first.release();
    lockDataFolder(data, false).release();
    expect(readdirSync(data).sort()).toEqual(["clock.json", "notes.txt", "seed.json"]);
    lockDataFolder(data, true).release();
    expect(readdirSync(data)).toEqual(["notes.txt"]);
  });
});
