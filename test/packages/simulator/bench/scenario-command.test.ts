import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scenarioCommand } from "../../../../packages/simulator/src/command/scenario.ts";
import { testControlToken } from "../../../support/access/control-token.ts";
import { startTestSimulator, startWebhookReceiver } from "../simulator-fixture.ts";

const env = { SIM_CONTROL_TOKEN: testControlToken.value };

function newFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-scenario-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mine.json");
  writeFileSync(file, content);
  return file;
}

test("the command runs a scenario by its name or from a file, and prints each step", async () => {
  const receiver = await startWebhookReceiver();
  const { url } = await startTestSimulator(receiver.url);
  const output = await scenarioCommand(["scenario", "view-once", "--url", url, "--person", "Ada"], env);
  expect(output.split("\n")).toEqual([
    "view-once: completed, account 17841405793187218, person Ada",
    "  person-sends: 1 delivered",
    "  person-sends: 1 delivered",
  ]);
  const file = newFile('{"title": "Mine", "steps": [{"do": "person-sends", "text": "Hi", "repeat": 3}]}');
  const json = await scenarioCommand(["scenario", file, "--json"], { ...env, SIM_URL: `${url}/` });
  expect(JSON.parse(json)).toMatchObject({ scenario: "Mine", steps: [{ count: 3, webhooks: { delivered: 3 } }] });
  expect(receiver.got).toHaveLength(5);
});

test("the command lists the scenarios without a simulator", async () => {
  expect(await scenarioCommand(["scenarios"], {})).toMatch(/^story-mention +Story mention$/m);
  const [first] = JSON.parse(await scenarioCommand(["scenarios", "--json"], {}));
  expect(Object.keys(first)).toEqual(["name", "title", "description", "platform", "person"]);
});

test("the command names the fix for what is missing or wrong", async () => {
  const { url } = await startTestSimulator("http://127.0.0.1:9");
  const run = (args: string[], variables: NodeJS.ProcessEnv = env) => scenarioCommand(["scenario", ...args], variables);
  await expect(run([])).rejects.toThrow("Missing scenario.");
  await expect(run(["flood"], {})).rejects.toThrow("Missing or invalid SIM_CONTROL_TOKEN.");
  await expect(run(["flood", "--url", "x"])).rejects.toThrow('Invalid URL "x".');
  await expect(run(["flood", "--url", "http://127.0.0.1:9"])).rejects.toThrow("No simulator answers at");
  await expect(run(["flood", "--speed"])).rejects.toThrow("Run parley-simulator scenario --help.");
  await expect(run(["none", "--url", url])).rejects.toThrow("name must be one of ad-referral");
  await expect(run(["flood", "--url", url], { SIM_CONTROL_TOKEN: "0123456789abcdef" })).rejects.toThrow(
    "Wrong control",
  );
  await expect(run(["/nowhere/mine.json", "--url", url])).rejects.toThrow("Cannot read /nowhere/mine.json");
  await expect(run([newFile("{"), "--url", url])).rejects.toThrow("is not JSON");
  expect(await run(["--help"])).toContain("Usage: parley-simulator scenario");
});
