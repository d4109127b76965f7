import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

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
  { from: "shared/kernel/a.ts", imports: valueImport("../domain/target.ts"), rule: "shared/kernel: rooms" },
  {
    from: "shared/kernel/b.ts",
    imports: 'import { z } from "zod";\nexport const used = z;\n',
    rule: "shared/kernel: packages",
  },
  { from: "shared/domain/a.ts", imports: valueImport("../stores/target.ts"), rule: "shared/domain: rooms" },
  { from: "shared/domain/b.ts", imports: typeImport("../flows/target.ts"), rule: "shared/domain: rooms" },
  {
    from: "shared/domain/c.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "shared/domain: packages",
  },
  { from: "shared/domain/d.ts", imports: valueImport("../kernel/target.ts"), rule: null },
  { from: "shared/events/a.ts", imports: valueImport("../flows/target.ts"), rule: "shared/events: rooms" },
  { from: "shared/events/b.ts", imports: valueImport("../domain/target.ts"), rule: null },
  { from: "shared/flows/d.ts", imports: valueImport("../events/target.ts"), rule: null },
  { from: "shared/stores/c.ts", imports: valueImport("../events/target.ts"), rule: "shared/stores: rooms" },
  { from: "shared/stores/a.ts", imports: valueImport("../aws/target.ts"), rule: "shared/stores: rooms" },
  {
    from: "shared/stores/b.ts",
    imports: 'import * as sqs from "@aws-sdk/client-sqs";\nexport const used = sqs;\n',
    rule: "shared/stores: packages",
  },
  { from: "shared/aws/a.ts", imports: valueImport("../net/target.ts"), rule: "shared/aws: rooms" },
  { from: "shared/net/a.ts", imports: valueImport("../platforms/target.ts"), rule: "shared/net: rooms" },
  { from: "shared/platforms/a.ts", imports: valueImport("../net/target.ts"), rule: null },
  { from: "shared/flows/a.ts", imports: valueImport("../stores/target.ts"), rule: "shared/flows: types only" },
  { from: "shared/flows/b.ts", imports: typeImport("../stores/target.ts"), rule: null },
  { from: "shared/flows/c.ts", imports: valueImport("../../functions/target.ts"), rule: "shared/flows: rooms" },
  { from: "functions/routes/a.ts", imports: valueImport("../../shared/stores/target.ts"), rule: "functions: rooms" },
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
  { from: "lib/a.ts", imports: valueImport("../shared/domain/target.ts"), rule: "lib: rooms" },
  { from: "lib/b.ts", imports: valueImport("../shared/config/target.ts"), rule: null },
  { from: "web/a.ts", imports: valueImport("../shared/kernel/target.ts"), rule: "web: rooms" },
  { from: "web/check/a.ts", imports: typeImport("../../shared/kernel/target.ts"), rule: "web/check: rooms" },
  {
    from: "web/check/b.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "web/check: packages",
  },
  { from: "bin/a.ts", imports: valueImport("../test/target.ts"), rule: "nothing imports test" },
];

let testEnv = "";
let violations: { from: string; rule: { name: string } }[] = [];

beforeAll(() => {
  testEnv = mkdtempSync(join(tmpdir(), "rooms-"));
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(project, file), join(testEnv, file));
  symlinkSync(join(project, "node_modules"), join(testEnv, "node_modules"));
  for (const room of [
    ...["kernel", "domain", "events", "config", "queues", "stores", "aws", "net", "platforms", "flows"].map(
      (name) => `shared/${name}`,
    ),
    ...["functions", "functions/routes", "functions/worker", "functions/http"],
    ...["local", "local/simulator", "lib", "bin", "test"],
  ]) {
    plantFile(`${room}/target.ts`, target);
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
      ...["shared", "functions", "local", "lib", "bin", "web"],
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

test("ARCHITECTURE.md lists the same layers as the rule", () => {
  const page = readFileSync(join(project, "ARCHITECTURE.md"), "utf8");
  const rule = readFileSync(join(project, ".dependency-cruiser.cjs"), "utf8").split("\n};")[0] ?? "";
  expect(rule).toContain("const rooms");
  for (const room of [...rule.matchAll(/^ {2}"?([\w/]+)"?: \{/gm)].map((match) => match[1])) {
    expect(page, `${room} in ARCHITECTURE.md`).toContain(`\`${room}\``);
  }
});

function plantFile(path: string, text: string): void {
  mkdirSync(dirname(join(testEnv, path)), { recursive: true });
  writeFileSync(join(testEnv, path), text);
}
