import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FunctionName, functions } from "#base/config/names.ts";
import { parleyApp, synthesize } from "../../lib/app.ts";
import { bundleBudgets } from "../../lib/bundles/bundle-budgets.ts";
import { bundleBytes, bundleFolders } from "../../lib/bundles/bundle-sizes.ts";
import {
  buildCheckPage,
  buildConsoleSync,
  buildDataDeletionPage,
  buildDocs,
  buildLoginStartPage,
  buildSignInPage,
} from "../../web/build.ts";
import { BUNDLE_LIMITS, bundleLines } from "../bench/benchmark-lines.ts";
import { sampled } from "../support/sampling.ts";
import { resourceProperties, resourcesOfType, synthesizeTemplates, type Template } from "./synth-templates.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-assembly-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the command", () => {
  const outdir = join(folder, "whole");
  const project = new URL("../..", import.meta.url);

  let status: number | null = null;
  let output = "";
  beforeAll(() => {
    const run = spawnSync(process.execPath, ["bin/app.ts", outdir], { cwd: project, encoding: "utf8" });
    status = run.status;
    output = run.stdout + run.stderr;
  });

  test("the command writes both templates, and they pass CloudFormation's rules", () => {
    expect(status, output).toBe(0);
    expect(existsSync(join(outdir, "ParleyData.template.json"))).toBe(true);
    expect(existsSync(join(outdir, "ParleyService.template.json"))).toBe(true);
    expect(output).not.toMatch(/validation found issues/i);
  });

  test("each function has a bundle of its own, whose size is measured", () => {
    const bytes = bundleBytes(outdir);
    expect(Object.keys(bytes)).toEqual([...functions]);
    const { Verify, Console, Connect, Web, ...others } = bundleFolders(outdir);
    for (const [name, folder] of Object.entries(others)) {
      expect([name, readdirSync(folder)]).toEqual([name, ["index.mjs"]]);
      expect(bytes[name as FunctionName]).toBe(statSync(join(folder, "index.mjs")).size);
    }
    expect(readdirSync(Verify).sort()).toEqual(["check-page", "index.mjs"]);
    expect(readdirSync(Console).sort()).toEqual(["index.mjs", "sign-in"]);
    expect(readdirSync(Connect).sort()).toEqual(["data-deletion", "index.mjs", "login-start"]);
    expect(readdirSync(Web).sort()).toEqual(["console", "docs", "index.mjs"]);
    for (const name of functions) expect([name, bytes[name] <= bundleBudgets[name]]).toEqual([name, true]);
  });

  const pages = [
    ["Verify", "check-page", buildCheckPage],
    ["Web", "docs", buildDocs],
    ["Console", "sign-in", buildSignInPage],
    ["Web", "console", buildConsoleSync],
    ["Connect", "login-start", buildLoginStartPage],
    ["Connect", "data-deletion", buildDataDeletionPage],
  ] as const;
  test.each(sampled(pages, { step: 2 }))(
    "the command writes the page of %s beside its function, identical to a separate build",
    (name, page, build) => {
      const built = join(folder, page);
      build(built);
      const names = listFiles(built);
      const bundled = join(bundleFolders(outdir)[name], page);
      expect(listFiles(bundled)).toEqual(names);
      for (const name of names) expect(readFileSync(join(bundled, name))).toEqual(readFileSync(join(built, name)));
    },
  );

  test.each(functions)("%s starts from its bundle alone, with the variables of the template", (name) => {
    const template: Template = JSON.parse(readFileSync(join(outdir, "ParleyService.template.json"), "utf8"));
    const { Variables } = resourceProperties(template, name).Environment as { Variables: Record<string, unknown> };
    const variables = Object.entries(Variables).map(([key, value]) => [key, resolveValue(value)]);
    const alone = join(folder, `alone-${name}`);
    // Outside the project, a package that is missing from the bundle is not found.
    cpSync(bundleFolders(outdir)[name], alone, { recursive: true });
    const start = `const { handler } = await import("./index.mjs"); console.log(typeof handler); process.exit(0);`;
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", start], {
      cwd: alone,
      env: { ...Object.fromEntries(variables), AWS_REGION: "eu-central-1" },
      encoding: "utf8",
    });
    expect([run.stdout.trim(), run.stderr]).toEqual(["function", ""]);
  });
});

/** Every file below a folder, as a path from it. */
function listFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

/** A value of the template as a string: a reference becomes a placeholder, the gateway's a URL. */
function resolveValue(value: unknown): string {
  if (typeof value === "string") return value;
  const { "Fn::Join": join, "Fn::GetAtt": attribute } = value as {
    "Fn::Join"?: [string, unknown[]];
    "Fn::GetAtt"?: [string, string];
  };
  if (join) return join[1].map(resolveValue).join(join[0]);
  return attribute?.[1] === "ApiEndpoint" ? "https://api.example.com" : "placeholder";
}

test("the benchmark has the budget of a release as the target of each bundle", () => {
  const targets = bundleLines(bundleBudgets).map(({ value, target }) => [value, target]);
  expect(targets).toEqual(functions.map((name) => [bundleBudgets[name] / 1_000, bundleBudgets[name] / 1_000]));
});

test("the budget of a bundle is at most the limit of a function that a message runs", () => {
  for (const [name, limit] of Object.entries(BUNDLE_LIMITS)) {
    expect([name, bundleBudgets[name as FunctionName] / 1_000 <= limit]).toEqual([name, true]);
  }
});

test("settings of the CDK command override those of the caller", () => {
  const before = process.env.CDK_CONTEXT_JSON;
  process.env.CDK_CONTEXT_JSON = JSON.stringify({ "parley:throttleRate": "7" });
  try {
    const { service } = synthesizeTemplates({ "parley:throttleRate": "8", "parley:throttleBurst": "9" });
    const [stage] = resourcesOfType(service, "AWS::ApiGatewayV2::Stage");
    expect(stage?.[1].Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 });
  } finally {
    if (before === undefined) delete process.env.CDK_CONTEXT_JSON;
    else process.env.CDK_CONTEXT_JSON = before;
  }
});

test("validation stops the synthesis when a template breaks a rule", () => {
  const outdir = join(folder, "broken");
  const app = parleyApp({ outdir, bundle: false });
  const before = process.env.CDK_VALIDATION;
  process.env.CDK_VALIDATION = "true";
  try {
    const stack = app.node.findChild("ParleyService");
    const queue = stack.node.findChild("Events").node.findChild("Queue").node.defaultChild;
    (queue as unknown as { visibilityTimeout: number }).visibilityTimeout = 59;
    expect(() => app.synth()).toThrow(/validation/i);
  } finally {
    if (before === undefined) delete process.env.CDK_VALIDATION;
    else process.env.CDK_VALIDATION = before;
  }
});

test("synthesize restores the environment", () => {
  const before = process.env.CDK_VALIDATION;
  const { outdir } = synthesize({ outdir: join(folder, "quick"), bundle: false });
  expect(outdir).toBe(join(folder, "quick"));
  expect(process.env.CDK_VALIDATION).toBe(before);
});

test("synthesize rejects an invalid setting before it writes anything", () => {
  const outdir = join(folder, "refused");
  expect(() => synthesize({ outdir, context: { "parley:graphVersion": "26" }, bundle: false })).toThrow(
    "parley:graphVersion",
  );
  expect(existsSync(join(outdir, "manifest.json"))).toBe(false);
});

test("synthesize has no bundle sizes without bundling", () => {
  const { outdir } = synthesize({ outdir: join(folder, "unbundled"), bundle: false });
  expect(() => bundleBytes(outdir)).toThrow("No code for Api in the template. Synthesize with bundling.");
});
