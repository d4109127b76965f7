import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "../markdown.ts";
import { startLockRegistry } from "./lock-registry.ts";

/** Runs it with a registry on the loopback. @param advisories null: the registry refuses the request */
async function run(advisories: object | null, ...args: string[]) {
  await using registry = await startLockRegistry({ lockFile: join(PROJECT, "package-lock.json"), advisories });
  const program = spawn(process.execPath, [join(PROJECT, "bin/advisories.ts"), ...args], {
    env: { ...process.env, npm_config_registry: registry.url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => program.once("close", resolve));
  const output = (await program.stderr.setEncoding("utf8").toArray()).join("");
  return { code: await ended, output };
}

it("npm run advisories fails for an advisory about an installed package, and names it", async () => {
  const url = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
  const advisory = { id: 1, url, title: "Slow", severity: "high", vulnerable_versions: "*", cwe: [], cvss: {} };
  const { code, output } = await run({ zod: [advisory] });
  expect({ code, output }).toEqual({
    code: 1,
    output: "zod: Slow (high, GHSA-aaaa-bbbb-cccc). Update the package.\n",
  });
});

it("npm run advisories succeeds without an advisory", async () => {
  expect(await run({})).toEqual({ code: 0, output: "" });
});

it("npm run advisories says in one line that the registry has no answer, and fails for it only where one is required", async () => {
  const output = expect.stringMatching(/^Advisories are not checked, because the registry gave none: .*503.*\n$/);
  expect(await run(null)).toEqual({ code: 0, output });
  expect(await run(null, "--required")).toEqual({ code: 1, output });
  expect(await run(null, "--offline")).toEqual({ code: 0, output: "" });
});
