import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";

// The layer rules, applied to a project of planted imports: each forbidden import must be reported, each allowed one accepted.

const project = fileURLToPath(new URL("..", import.meta.url));
const target = 'export const target = "target";\nexport type Target = typeof target;\n';

interface PlantedImport {
  readonly from: string;
  readonly imports: string;
  readonly rule: string | null;
}

const valueImport = (path: string) => `import { target } from "${path}";\nexport const used = target;\n`;
const typeImport = (path: string) => `import type { Target } from "${path}";\nexport type Used = Target;\n`;

const plantedImports: readonly PlantedImport[] = [
  { from: "shared/kernel/a.ts", imports: valueImport("../domain/target.ts"), rule: "shared/kernel: layers" },
  {
    from: "shared/kernel/b.ts",
    imports: 'import { z } from "zod";\nexport const used = z;\n',
    rule: "shared/kernel: packages",
  },
  { from: "shared/domain/a.ts", imports: valueImport("../stores/target.ts"), rule: "shared/domain: layers" },
  { from: "shared/domain/b.ts", imports: typeImport("../flows/target.ts"), rule: "shared/domain: layers" },
  {
    from: "shared/domain/c.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "shared/domain: packages",
  },
  { from: "shared/domain/d.ts", imports: valueImport("../kernel/target.ts"), rule: null },
  { from: "shared/events/a.ts", imports: valueImport("../flows/target.ts"), rule: "shared/events: layers" },
  { from: "shared/events/b.ts", imports: valueImport("../domain/target.ts"), rule: null },
  { from: "shared/flows/d.ts", imports: valueImport("../events/target.ts"), rule: null },
  { from: "shared/stores/c.ts", imports: valueImport("../events/target.ts"), rule: "shared/stores: layers" },
  { from: "shared/stores/a.ts", imports: valueImport("../aws/target.ts"), rule: "shared/stores: layers" },
  {
    from: "shared/stores/b.ts",
    imports: 'import * as sqs from "@aws-sdk/client-sqs";\nexport const used = sqs;\n',
    rule: "shared/stores: packages",
  },
  { from: "shared/aws/a.ts", imports: valueImport("../net/target.ts"), rule: "shared/aws: layers" },
  { from: "shared/net/a.ts", imports: valueImport("../platforms/target.ts"), rule: "shared/net: layers" },
  { from: "shared/platforms/a.ts", imports: valueImport("../net/target.ts"), rule: null },
  { from: "shared/flows/a.ts", imports: valueImport("../stores/target.ts"), rule: "shared/flows: types only" },
  { from: "shared/flows/b.ts", imports: typeImport("../stores/target.ts"), rule: null },
  { from: "shared/flows/c.ts", imports: valueImport("../../functions/target.ts"), rule: "shared/flows: layers" },
  { from: "functions/routes/a.ts", imports: valueImport("../../shared/stores/target.ts"), rule: "functions: layers" },
  { from: "functions/routes/b.ts", imports: valueImport("../worker/target.ts"), rule: "routes and workers stay apart" },
  {
    from: "functions/ingest/worker.ts",
    imports: valueImport("../routes/target.ts"),
    rule: "workers and routes stay apart",
  },
  { from: "functions/worker/b.ts", imports: valueImport("../http/target.ts"), rule: "workers and routes stay apart" },
  { from: "functions/api/ports.ts", imports: valueImport("../../shared/stores/target.ts"), rule: null },
  { from: "functions/support/b.ts", imports: valueImport("../../local/target.ts"), rule: "functions: composition" },
  {
    from: "local/simulator/a.ts",
    imports: valueImport("../../shared/kernel/target.ts"),
    rule: "the simulator knows nothing of Parley",
  },
  { from: "lib/a.ts", imports: valueImport("../shared/domain/target.ts"), rule: "lib: layers" },
  { from: "lib/b.ts", imports: valueImport("../shared/config/target.ts"), rule: null },
  {
    from: "packages/client/src/a.ts",
    imports: typeImport("../../../shared/kernel/target.ts"),
    rule: "packages: layers",
  },
  {
    from: "packages/client/src/b.ts",
    imports: 'import { z } from "zod";\nexport const used = z;\n',
    rule: "packages: packages",
  },
  { from: "web/common/b.ts", imports: valueImport("../../packages/client/src/target.ts"), rule: null },
  { from: "web/check/c.ts", imports: valueImport("../../packages/client/src/target.ts"), rule: "web/check: layers" },
  { from: "web/a.ts", imports: valueImport("../shared/kernel/target.ts"), rule: "web: layers" },
  { from: "web/check/a.ts", imports: typeImport("../../shared/kernel/target.ts"), rule: "web/check: layers" },
  {
    from: "web/check/b.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "web/check: packages",
  },
  {
    from: "web/common/a.ts",
    imports: valueImport("../check/target.ts"),
    rule: "web/common: layers",
  },
  {
    from: "web/connect/a.ts",
    imports: typeImport("../check/target.ts"),
    rule: "web/connect: layers",
  },
  {
    from: "web/sign-in/a.ts",
    imports: typeImport("../../shared/kernel/target.ts"),
    rule: "web/sign-in: layers",
  },
  { from: "bin/a.ts", imports: valueImport("../test/target.ts"), rule: "nothing imports test" },
];

let testEnv = "";
let violations: { from: string; rule: { name: string } }[] = [];

beforeAll(() => {
  testEnv = mkdtempSync(join(tmpdir(), "layers-"));
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(project, file), join(testEnv, file));
  symlinkSync(join(project, "node_modules"), join(testEnv, "node_modules"));
  for (const layer of [
    ...["kernel", "domain", "events", "config", "queues", "stores", "aws", "net", "platforms", "flows"].map(
      (name) => `shared/${name}`,
    ),
    ...["functions", "functions/routes", "functions/worker", "functions/http"],
    ...["local", "local/simulator", "lib", "bin", "test", "web/check", "packages/client/src"],
  ]) {
    plantFile(`${layer}/target.ts`, target);
  }
  for (const { from, imports } of plantedImports) plantFile(from, imports);
  plantFile("shared/domain/circle-a.ts", 'import { b } from "./circle-b.ts";\nexport const a: unknown = b;\n');
  plantFile("shared/domain/circle-b.ts", 'import { a } from "./circle-a.ts";\nexport const b: unknown = a;\n');
  plantFile("shared/domain/left/one.ts", 'import { two } from "../right/two.ts";\nexport const one: unknown = two;\n');
  plantFile("shared/domain/right/two.ts", "export const two = 2;\n");
  plantFile(
    "shared/domain/right/three.ts",
    'import { four } from "../left/four.ts";\nexport const three: unknown = four;\n',
  );
  plantFile("shared/domain/left/four.ts", "export const four = 4;\n");
  const run = spawnSync(
    process.execPath,
    [
      join(project, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs"),
      ...["--output-type", "json", "--config", ".dependency-cruiser.cjs"],
      ...["shared", "functions", "local", "lib", "bin", "web", "packages"],
    ],
    { cwd: testEnv, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  violations = JSON.parse(run.stdout).summary.violations;
}, 60_000);

afterAll(() => rmSync(testEnv, { recursive: true, force: true }));

test.each(plantedImports)("$from: $rule", ({ from, rule }) => {
  const caught = violations.filter((violation) => violation.from === from).map((violation) => violation.rule.name);
  if (rule === null) expect(caught).toEqual([]);
  else expect(caught).toContain(rule);
});

test("a cycle between folders without a cycle between files is reported", () => {
  expect(violations.map((violation) => violation.rule.name)).toContain("no cycles between folders");
});

test("a folder of more than 20 files is refused by its name", () => {
  const root = mkdtempSync(join(tmpdir(), "folders-"));
  const check = () => spawnSync(process.execPath, [join(project, "bin/folders.ts"), root], { encoding: "utf8" });
  mkdirSync(join(root, "shared/crowded"), { recursive: true });
  for (let i = 1; i <= 20; i++) writeFileSync(join(root, `shared/crowded/file-${i}.ts`), "");
  expect(check()).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(join(root, "shared/crowded/file-21.ts"), "");
  expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining("shared/crowded holds 21 files.") });
  rmSync(root, { recursive: true, force: true });
});

test("a cycle between files is reported", () => {
  expect(violations.map((violation) => violation.rule.name)).toContain("no cycles");
});

describe("the table of layers in ARCHITECTURE.md", () => {
  const rows =
    readFileSync(join(project, "ARCHITECTURE.md"), "utf8")
      .split(/^\| Layer .*\n/m)[1]
      ?.split("\n\n")[0]
      ?.split("\n")
      .filter((line) => /^\| `[\w/-]+` \|/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, layer = "", , imports = "", packages = ""]) => ({ layer: layer.replaceAll("`", ""), imports, packages }))
      .filter(({ layer }) => layer !== "test") ?? [];
  const { forbidden } = createRequire(import.meta.url)(join(project, ".dependency-cruiser.cjs")) as {
    forbidden: { name: string; comment: string }[];
  };
  /** The list at the end of a rule's comment: `shared/events may import shared/events, shared/kernel`. */
  const permitted = (rule: string, verb: string) =>
    list(
      forbidden
        .find(({ name }) => name === rule)
        ?.comment.split(`${verb} `)[1]
        ?.replace(" as types only", ""),
    );

  it("has every layer of the rules and no other", () => {
    const layers = forbidden.flatMap(({ name }) => (name.endsWith(": layers") ? [name.slice(0, -8)] : []));
    expect(rows.map(({ layer }) => layer)).toEqual(expect.arrayContaining(layers));
    expect(rows).toHaveLength(layers.length);
  });

  it.each(rows)("permits the imports of the rules: $layer", ({ layer, imports }) => {
    const [values = "", types = ""] = imports.split(/;? ?types of /);
    const layers = (text = "") => list(text.split(";")[0]).map(toLayer);
    expect([layer, ...layers(values)].sort()).toEqual(permitted(`${layer}: layers`, "may import"));
    expect(layers(types).sort()).toEqual(permitted(`${layer}: types only`, "may import"));
  });

  it.each(rows)("permits the packages of the rules: $layer", ({ layer, packages }) => {
    const named = list(packages.replace(";", ",").replace(" (types)", "")).map((name) => packagePatterns[name] ?? name);
    expect(named.sort()).toEqual(permitted(`${layer}: packages`, "may use"));
  });
});

const packagePatterns: Readonly<Record<string, string>> = {
  any: ".*",
  "AWS SDK with its parts in `@smithy`": "@(aws-sdk|smithy)/.+",
  "AWS SDK for DynamoDB": "@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)",
};

const list = (text = "") =>
  text
    .split(", ")
    .filter((name) => !["", "none", "nothing", "no package"].includes(name))
    .sort();
/** The table leaves out `shared/`. */
const toLayer = (name: string) => (existsSync(join(project, "shared", name)) ? `shared/${name}` : name);

function plantFile(path: string, text: string): void {
  mkdirSync(dirname(join(testEnv, path)), { recursive: true });
  writeFileSync(join(testEnv, path), text);
}
