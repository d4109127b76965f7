import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

// The rooms' rules, held against a house of planted imports: each wrong one must be caught, each right one let through.

const project = fileURLToPath(new URL("..", import.meta.url));
const target = 'export const target = "target";\nexport type Target = typeof target;\n';

interface Planted {
  readonly from: string;
  readonly imports: string;
  readonly rule: string | null;
}

const value = (path: string) => `import { target } from "${path}";\nexport const used = target;\n`;
const type = (path: string) => `import type { Target } from "${path}";\nexport type Used = Target;\n`;

const planted: readonly Planted[] = [
  { from: "shared/kernel/a.ts", imports: value("../domain/target.ts"), rule: "shared/kernel: rooms" },
  {
    from: "shared/kernel/b.ts",
    imports: 'import { z } from "zod";\nexport const used = z;\n',
    rule: "shared/kernel: packages",
  },
  { from: "shared/domain/a.ts", imports: value("../stores/target.ts"), rule: "shared/domain: rooms" },
  { from: "shared/domain/b.ts", imports: type("../flows/target.ts"), rule: "shared/domain: rooms" },
  {
    from: "shared/domain/c.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "shared/domain: packages",
  },
  { from: "shared/domain/d.ts", imports: value("../kernel/target.ts"), rule: null },
  { from: "shared/stores/a.ts", imports: value("../aws/target.ts"), rule: "shared/stores: rooms" },
  {
    from: "shared/stores/b.ts",
    imports: 'import * as sqs from "@aws-sdk/client-sqs";\nexport const used = sqs;\n',
    rule: "shared/stores: packages",
  },
  { from: "shared/aws/a.ts", imports: value("../net/target.ts"), rule: "shared/aws: rooms" },
  { from: "shared/net/a.ts", imports: value("../platforms/target.ts"), rule: "shared/net: rooms" },
  { from: "shared/platforms/a.ts", imports: value("../net/target.ts"), rule: null },
  { from: "shared/flows/a.ts", imports: value("../stores/target.ts"), rule: "shared/flows: types only" },
  { from: "shared/flows/b.ts", imports: type("../stores/target.ts"), rule: null },
  { from: "shared/flows/c.ts", imports: value("../../functions/target.ts"), rule: "shared/flows: rooms" },
  { from: "functions/routes/a.ts", imports: value("../../shared/stores/target.ts"), rule: "functions: rooms" },
  { from: "functions/routes/b.ts", imports: value("../worker/target.ts"), rule: "routes and workers stay apart" },
  { from: "functions/ingest/worker.ts", imports: value("../routes/target.ts"), rule: "workers and routes stay apart" },
  { from: "functions/worker/b.ts", imports: value("../http/target.ts"), rule: "workers and routes stay apart" },
  { from: "functions/api/ports.ts", imports: value("../../shared/stores/target.ts"), rule: null },
  { from: "functions/support/b.ts", imports: value("../../local/target.ts"), rule: "functions: composition" },
  {
    from: "local/simulator/a.ts",
    imports: value("../../shared/kernel/target.ts"),
    rule: "the simulator knows nothing of Parley",
  },
  { from: "lib/a.ts", imports: value("../shared/domain/target.ts"), rule: "lib: rooms" },
  { from: "lib/b.ts", imports: value("../shared/config/target.ts"), rule: null },
  { from: "web/a.ts", imports: value("../shared/kernel/target.ts"), rule: "web: rooms" },
  { from: "web/check/a.ts", imports: type("../../shared/kernel/target.ts"), rule: "web/check: rooms" },
  {
    from: "web/check/b.ts",
    imports: 'import fs from "node:fs";\nexport const used = fs;\n',
    rule: "web/check: packages",
  },
  { from: "bin/a.ts", imports: value("../test/target.ts"), rule: "nothing imports test" },
];

let house = "";
let broken: { from: string; rule: { name: string } }[] = [];

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), "rooms-"));
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(project, file), join(house, file));
  symlinkSync(join(project, "node_modules"), join(house, "node_modules"));
  for (const room of [
    ...["kernel", "domain", "config", "queues", "stores", "aws", "net", "platforms", "flows"].map(
      (name) => `shared/${name}`,
    ),
    ...["functions", "functions/routes", "functions/worker", "functions/http"],
    ...["local", "local/simulator", "lib", "bin", "test"],
  ]) {
    plant(`${room}/target.ts`, target);
  }
  for (const { from, imports } of planted) plant(from, imports);
  plant("shared/domain/circle-a.ts", 'import { b } from "./circle-b.ts";\nexport const a: unknown = b;\n');
  plant("shared/domain/circle-b.ts", 'import { a } from "./circle-a.ts";\nexport const b: unknown = a;\n');
  const run = spawnSync(
    process.execPath,
    [
      join(project, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs"),
      ...["--output-type", "json", "--config", ".dependency-cruiser.cjs"],
      ...["shared", "functions", "local", "lib", "bin", "web"],
    ],
    { cwd: house, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  broken = JSON.parse(run.stdout).summary.violations;
}, 60_000);

afterAll(() => rmSync(house, { recursive: true, force: true }));

test.each(planted)("$from: $rule", ({ from, rule }) => {
  const caught = broken.filter((violation) => violation.from === from).map((violation) => violation.rule.name);
  if (rule === null) expect(caught).toEqual([]);
  else expect(caught).toContain(rule);
});

test("a circle is caught", () => {
  expect(broken.map((violation) => violation.rule.name)).toContain("no circles");
});

test("the page that shows the rooms has the same rooms as the rule", () => {
  const page = readFileSync(join(project, "ARCHITECTURE.md"), "utf8");
  const rule = readFileSync(join(project, ".dependency-cruiser.cjs"), "utf8").split("\n};")[0] ?? "";
  expect(rule).toContain("const rooms");
  for (const room of [...rule.matchAll(/^ {2}"?([\w/]+)"?: \{/gm)].map((found) => found[1])) {
    expect(page, `${room} in ARCHITECTURE.md`).toContain(`\`${room}\``);
  }
});

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}
