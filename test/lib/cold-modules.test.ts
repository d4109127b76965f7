import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { functions } from "#base/config/names.ts";
import { bundleHandlers } from "../../lib/bundles/bundle-functions.ts";
import { testSettings } from "../support/host/settings.ts";

test("no function loads Node's client of fetch when it starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-cold-modules-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Those read the files of pages, which only the build of all functions writes.
  const names = functions.filter((name) => !["Web", "Console", "Connect", "Verify"].includes(name));
  bundleHandlers(folder, names, "lean");
  const env = {
    ...testSettings({
      table: "table",
      keyId: "key",
      rawBucket: "raw",
      uploadBucket: "uploads",
      journalBucket: "journal",
      queueUrl: (queue) => `https://sqs.us-east-1.amazonaws.com/1/${queue}`,
      baseUrl: "https://parley.example",
      mailFrom: "mail@parley.example",
    }),
    AWS_REGION: "us-east-1",
  };
  const loading = names.map(async (name) => {
    const file = pathToFileURL(join(folder, name, "index.mjs")).href;
    const script = `await import(${JSON.stringify(file)}); process.stdout.write(process.moduleLoadList.join("\\n"));`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
    const modules = (await run).stdout.split("\n");
    expect(modules, name).toContain("NativeModule https");
    return modules.includes("NativeModule internal/deps/undici/undici") ? [name] : [];
  });
  const withFetch = (await Promise.all(loading)).flat();
  expect(withFetch).toEqual([]);
});
