import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { parseSettings, SettingError, settingNames } from "../../../lib/config/settings.ts";
import { readStage, requireStageTarget, type StageTarget } from "../../../lib/config/stage.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLACE = { account: "111122223333", region: "eu-central-1" };

function writeStage(name: string, content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(folder, `${name}.json`), text);
}

/** What the operator sees. */
function problem(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    const { message } = error as Error;
    expect(message.split("\n")).toHaveLength(1);
    return message;
  }
  throw new Error("Nothing was refused.");
}

test("the file of a stage has its account, its region and settings without their prefix", () => {
  writeStage("staging", { ...PLACE, mailFrom: "parley@example.com", throttleRate: 7, siteUrl: null });
  const stage = readStage(folder, "staging");
  expect(stage).toEqual({
    name: "staging",
    ...PLACE,
    context: { "parley:mailFrom": "parley@example.com", "parley:throttleRate": 7, "parley:siteUrl": null },
  });
  expect(parseSettings(stage.context)).toMatchObject({ mailFrom: "parley@example.com", siteUrl: null });
});

test("the example has every setting, and a copy of it changes no default", () => {
  const path = fileURLToPath(new URL("../../../stages/example.json", import.meta.url));
  const example = JSON.parse(readFileSync(path, "utf8"));
  expect(Object.keys(example)).toEqual(["account", "region", ...settingNames]);
  const { context } = readStage(fileURLToPath(new URL("../../../stages", import.meta.url)), "example");
  expect(parseSettings(context)).toEqual(parseSettings({}));
});

test("the default stage needs no file, and has the settings of one that exists", () => {
  expect(readStage(null, "default")).toEqual({ name: "default", account: null, region: null, context: {} });
  expect(readStage(folder, "default").context).toEqual({});
  writeStage("default", { ...PLACE, signUp: "open" });
  expect(readStage(folder, "default")).toEqual({ name: "default", ...PLACE, context: { "parley:signUp": "open" } });
  rmSync(join(folder, "default.json"));
});

describe("a stage that cannot be used is refused in one line", () => {
  test.each(["", "Prod", "a_b", "-a", "a-", "../etc", "a".repeat(21), 7, null])(
    "the name %j is refused with the names that are valid",
    (name) => {
      expect(problem(() => readStage(folder, name))).toContain("Use 1 to 20 lowercase letters, digits and dashes");
    },
  );

  test("a stage without a file is refused with the example to copy, and the stages that exist", () => {
    writeStage("staging", PLACE);
    expect(problem(() => readStage(folder, "stagin"))).toBe(
      "Unknown stage stagin: stages/stagin.json does not exist. Copy stages/example.json to it and fill it in. Stages with a file: staging.",
    );
    expect(problem(() => readStage(null, "staging"))).toContain("stages/staging.json does not exist");
  });

  test.each([
    ["no JSON", "{", "stages/bad.json is not a JSON object"],
    ["a list", "[]", "stages/bad.json is not a JSON object"],
    ["no account", { region: PLACE.region }, "Invalid account in stages/bad.json"],
    ["an account that lost its zeros", { ...PLACE, account: 11122223333 }, "Invalid account in stages/bad.json"],
    ["no region", { account: PLACE.account }, "Invalid region in stages/bad.json"],
    ["a mistyped region", { ...PLACE, region: "Frankfurt" }, "Invalid region in stages/bad.json"],
    ["a mistyped setting", { ...PLACE, mailform: "a@example.com" }, "Unknown setting mailform in stages/bad.json"],
    ["a setting with its prefix", { ...PLACE, "parley:mailFrom": "a@b.c" }, "Unknown setting parley:mailFrom"],
    ["another stage", { ...PLACE, stage: "prod" }, "Unknown setting stage"],
  ])("a file with %s is refused", (_, content, message) => {
    writeStage("bad", content);
    expect(problem(() => readStage(folder, "bad"))).toContain(message);
    rmSync(join(folder, "bad.json"));
  });
});

describe("the account and the region of a command", () => {
  const stage = { name: "staging", ...PLACE, context: {} };
  const sources = { accountSource: "the account", regionSource: "AWS_REGION" };
  const target = (account?: string, region?: string): StageTarget => ({ account, region, ...sources });

  test("the stage's own ones and unknown ones are accepted", () => {
    expect(() => requireStageTarget(stage, target(PLACE.account, PLACE.region))).not.toThrow();
    expect(() => requireStageTarget(stage, target())).not.toThrow();
    expect(() => requireStageTarget(readStage(null, "default"), target("1", "2"))).not.toThrow();
  });

  test("an account or a region of another stage is refused with both values and the fix", () => {
    expect(problem(() => requireStageTarget(stage, target("999900001111")))).toBe(
      "Stage staging is in account 111122223333, but the account is 999900001111. Use credentials of 111122223333, or correct stages/staging.json.",
    );
    expect(problem(() => requireStageTarget(stage, target(PLACE.account, "us-east-1")))).toBe(
      "Stage staging is in region eu-central-1, but AWS_REGION is us-east-1. Set AWS_REGION=eu-central-1, or correct stages/staging.json.",
    );
  });
});
