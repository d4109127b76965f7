import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { install, temporaryFolder } from "./install.ts";

const hasPython = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 10))"]).status === 0;
const condition = hasPython ? "" : " (no Python 3.10 here)";

it.skipIf(!hasPython)(`the installed Python receiver passes its tests by pytest${condition}`, async () => {
  const folder = temporaryFolder();
  const python = join(folder, "env/bin/python");
  await install("python3", ["-m", "venv", "env"], folder);
  await install(python, ["-m", "pip", "install", "--quiet", "pytest==9.2.0"], folder);
  const tests = join(PROJECT, "packages/receiver-python/tests");
  const args = ["-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", folder, tests];
  const { stdout } = await promisify(execFile)(python, args, { cwd: folder, timeout: 120_000 });
  expect(stdout).toMatch(/^\d\d passed in /m);
});
