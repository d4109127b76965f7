import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

const use = (from: string, imports: string, rule: string | null): PlantedImport => ({ from, imports, rule });
const usePackage = (name: string) => `import * as used from "${name}";\nexport const user = used;\n`;

/** A feature, and another one. */
const ONE = "shared/features/one";
const OTHER = "#features/other";

/** No layer imports a test, and none of these folders uses this package. */
const TEST = "test/target.ts";
const PACKAGE = "ulid";

const closedFolders: Readonly<Record<string, string>> = {
  "base/config": "shared/base/config",
  "base/events": "shared/base/events",
  "base/queues": "shared/base/queues",
  "base/files": "shared/base/files",
  "base/languages": "shared/base/languages",
  "base/aws": "shared/base/aws",
  "base/net": "shared/base/net",
  events: `${ONE}/events`,
  platforms: "shared/platforms",
  flows: `${ONE}/flows`,
  http: "shared/http",
  routes: `${ONE}/routes`,
  functions: "functions/api",
  lib: "lib",
  "packages/loopback": "packages/loopback/src",
  web: "web/build",
  "web/common": "web/common",
  "web/console": "web/console",
  "web/docs/page": "web/docs/page",
  "web/docs/search": "web/docs/search",
  "web/sign-in": "web/sign-in",
};

const closed = Object.entries(closedFolders).flatMap(([layer, folder]) => [
  use(`${folder}/closed.ts`, valueImport(`${folder.replace(/[^/]+/g, "..")}/${TEST}`), `${layer}: layers`),
  use(`${folder}/closed-too.ts`, usePackage(PACKAGE), `${layer}: packages`),
]);

const plantedImports: readonly PlantedImport[] = [
  ...closed,
  use(`${ONE}/one-queue.ts`, usePackage(PACKAGE), "queues: packages"),
  use("shared/http/c.ts", valueImport("#base/aws/target.ts"), "http: types only"),
  use("functions/api/a.ts", valueImport("#base/aws/target.ts"), "functions: types only"),
  use("bin/b.ts", valueImport(`../${TEST}`), "bin: layers"),
  use("bin/c.ts", valueImport("./missing.ts"), "unresolved"),
  use("shared/base/kernel/a.ts", valueImport(`${OTHER}/rules/target.ts`), "base/kernel: layers"),
  use("shared/base/kernel/b.ts", usePackage("zod"), "base/kernel: packages"),
  use("shared/base/events/a.ts", valueImport(`${OTHER}/rules/target.ts`), "base/events: layers"),
  use("shared/base/queues/a.ts", valueImport("../aws/target.ts"), "base/queues: layers"),
  use("shared/base/files/a.ts", valueImport("../aws/target.ts"), "base/files: types only"),
  use("shared/base/table/a.ts", valueImport(`${OTHER}/store/items.ts`), "base/table: layers"),
  use("shared/base/table/b.ts", usePackage("@aws-sdk/client-sqs"), "base/table: packages"),
  use("shared/base/aws/a.ts", valueImport("../net/target.ts"), "base/aws: layers"),
  use("shared/base/net/a.ts", valueImport("#platforms/target.ts"), "base/net: layers"),
  use("shared/platforms/a.ts", valueImport("#base/net/target.ts"), "platforms: layers"),
  use("shared/platforms/c.ts", valueImport("#base/kernel/target.ts"), null),
  use("shared/platforms/b.ts", valueImport(`${OTHER}/store/target.ts`), "platforms: layers"),
  use("shared/platforms/d.ts", valueImport("./messenger/target.ts"), "platforms: one file knows all"),
  use("shared/platforms/e.ts", valueImport("./graph/target.ts"), null),
  use("shared/platforms/platforms.ts", valueImport("./messenger/target.ts"), null),
  use("shared/platforms/graph/a.ts", typeImport("../instagram/target.ts"), "platforms: graph knows no platform"),
  use("shared/platforms/graph/b.ts", valueImport("../messenger/target.ts"), "platforms: graph knows no platform"),
  use("shared/platforms/graph/c.ts", typeImport("../platforms.ts"), "platforms: graph knows no platform"),
  use(
    "shared/platforms/instagram/a.ts",
    typeImport("../messenger/target.ts"),
    "platforms: a platform knows no other one",
  ),
  use("shared/platforms/instagram/b.ts", valueImport("../platforms.ts"), "platforms: a platform knows no other one"),
  use("shared/platforms/instagram/c.ts", valueImport("../graph/target.ts"), null),
  use(
    "shared/platforms/messenger/a.ts",
    valueImport("#platforms/instagram/target.ts"),
    "platforms: a platform knows no other one",
  ),
  use(`${ONE}/rules/a.ts`, valueImport("../store/target.ts"), "rules: layers"),
  use(`${ONE}/rules/b.ts`, typeImport("../flows/target.ts"), "rules: layers"),
  use(`${ONE}/rules/c.ts`, usePackage("node:fs"), "rules: packages"),
  use(`${ONE}/rules/d.ts`, valueImport("#base/kernel/target.ts"), null),
  use(`${ONE}/rules/e.ts`, valueImport(`${OTHER}/rules/target.ts`), null),
  use(`${ONE}/rules/f.ts`, typeImport("../ports.ts"), "rules: layers"),
  use(`${ONE}/events.ts`, valueImport("./flows/target.ts"), "events: layers"),
  use(`${ONE}/queue.ts`, valueImport("./store/target.ts"), "queues: layers"),
  use(`${ONE}/store/a.ts`, valueImport("../events.ts"), "store: layers"),
  use(`${ONE}/store/b.ts`, valueImport("#base/aws/target.ts"), "store: layers"),
  use(`${ONE}/store/c.ts`, usePackage("@aws-sdk/client-sqs"), "store: packages"),
  use(`${ONE}/store/d.ts`, valueImport(`${OTHER}/store/target.ts`), "features: rows of other features"),
  use(`${ONE}/store/e.ts`, valueImport(`${OTHER}/store/items.ts`), null),
  use(`${ONE}/store/f.ts`, valueImport(`${OTHER}/store/things-items.ts`), null),
  use(`${ONE}/flows/a.ts`, valueImport("../store/target.ts"), "flows: types only"),
  use(`${ONE}/flows/b.ts`, typeImport("../store/target.ts"), null),
  use(`${ONE}/flows/c.ts`, valueImport("../../../../functions/target.ts"), "flows: layers"),
  use(`${ONE}/flows/d.ts`, valueImport("../events.ts"), null),
  use(`${ONE}/flows/e.ts`, valueImport(`${OTHER}/flows/target.ts`), "features: rooms are private"),
  use(`${ONE}/flows/k.ts`, valueImport("#features/small/flows.ts"), "features: rooms are private"),
  use(`${ONE}/flows/l.ts`, valueImport("#features/small/store.ts"), "flows: types only"),
  use(`${ONE}/store/g.ts`, valueImport("#features/small/store.ts"), "features: rows of other features"),
  use(`${ONE}/flows/f.ts`, typeImport(`${OTHER}/flows/target.ts`), "features: rooms are private"),
  use(`${ONE}/flows/g.ts`, valueImport(`${OTHER}/call.ts`), null),
  use(`${ONE}/flows/h.ts`, typeImport(`${OTHER}/store/target.ts`), null),
  use(`${ONE}/flows/i.ts`, valueImport("#http/target.ts"), "flows: layers"),
  use(`${ONE}/call-a.ts`, valueImport("./routes/target.ts"), "flows: layers"),
  use(`${ONE}/routes/a.ts`, valueImport("../store/target.ts"), "routes: types only"),
  use(`${ONE}/routes/b.ts`, valueImport(`${OTHER}/routes/target.ts`), "features: rooms are private"),
  use(`${ONE}/routes/c.ts`, valueImport("#http/target.ts"), null),
  use("shared/http/a.ts", valueImport(`${OTHER}/call.ts`), "the framework calls the feature access alone"),
  use("shared/http/b.ts", valueImport(`${OTHER}/routes/target.ts`), "http: layers"),
  use("functions/api/handler.ts", valueImport(`${OTHER}/store/target.ts`), "functions: layers"),
  use("functions/api/ports.ts", valueImport(`${OTHER}/store/target.ts`), null),
  use("functions/ingest/worker.ts", valueImport(`${OTHER}/routes/target.ts`), "workers serve no routes"),
  use("functions/worker/b.ts", valueImport("#http/target.ts"), "workers serve no routes"),
  use("functions/support/b.ts", valueImport("../../local/target.ts"), "functions: composition"),
  use("lib/a.ts", valueImport(`${OTHER}/rules/target.ts`), "lib: layers"),
  use("lib/b.ts", valueImport("#base/config/target.ts"), null),
  use("packages/cli/src/a.ts", valueImport("../../client/src/target.ts"), null),
  use("packages/cli/src/b.ts", typeImport("#base/kernel/target.ts"), "packages/cli: layers"),
  use("packages/cli/src/c.ts", usePackage("ws"), "packages/cli: packages"),
  use("packages/client/src/a.ts", typeImport("../../../shared/base/kernel/target.ts"), "packages/client: layers"),
  use("packages/client/src/b.ts", usePackage("zod"), "packages/client: packages"),
  use("packages/client/src/c.ts", valueImport("../../loopback/src/target.ts"), "packages/client: layers"),
  use(
    "packages/local-aws/src/a.ts",
    valueImport("../../../shared/base/kernel/target.ts"),
    "packages/local-aws: layers",
  ),
  use("packages/local-aws/src/b.ts", valueImport("../../simulator/src/target.ts"), "packages/local-aws: layers"),
  use("packages/local-aws/src/c.ts", usePackage("ulid"), "packages/local-aws: packages"),
  use("packages/local-aws/src/d.ts", valueImport("#base/kernel/target.ts"), "packages/local-aws: layers"),
  use("packages/loopback/src/a.ts", valueImport("../../simulator/src/target.ts"), "packages/loopback: layers"),
  use(
    "packages/simulator/src/a.ts",
    valueImport("../../../shared/base/kernel/target.ts"),
    "packages/simulator: layers",
  ),
  use("packages/receiver/src/a.ts", valueImport("../../client/src/target.ts"), null),
  use("packages/receiver/src/b.ts", typeImport("#base/kernel/target.ts"), "packages/receiver: layers"),
  use("packages/receiver/src/c.ts", usePackage("node:http"), "packages/receiver: packages"),
  use("packages/simulator/src/b.ts", typeImport("../../../local/target.ts"), "packages/simulator: layers"),
  use("packages/simulator/src/c.ts", valueImport("../../loopback/src/target.ts"), null),
  use("packages/simulator/src/d.ts", usePackage("ulid"), "packages/simulator: packages"),
  use("local/a.ts", valueImport("../packages/client/src/target.ts"), "local: layers"),
  use("local/b.ts", valueImport("../packages/simulator/src/target.ts"), null),
  use("web/common/b.ts", valueImport("../../packages/client/src/target.ts"), null),
  use("web/check-page/c.ts", valueImport("../../packages/client/src/target.ts"), "web/check-page: layers"),
  use("web/a.ts", valueImport("../shared/base/kernel/target.ts"), "web: layers"),
  use("web/check-page/a.ts", typeImport("../../shared/base/kernel/target.ts"), "web/check-page: layers"),
  use("web/check-page/b.ts", usePackage("node:fs"), "web/check-page: packages"),
  use("web/common/a.ts", valueImport("../check-page/target.ts"), "web/common: layers"),
  use("web/sign-in/a.ts", typeImport("../../shared/base/kernel/target.ts"), "web/sign-in: layers"),
  use("bin/a.ts", valueImport("../test/target.ts"), "nothing imports test"),
  use("test/packages/a.ts", valueImport("#base/kernel/target.ts"), "tests of packages: the package alone"),
  use("test/packages/b.ts", typeImport("../../local/target.ts"), "tests of packages: the package alone"),
  use("test/packages/c.ts", valueImport("../support/a.ts"), "tests of packages: the package alone"),
  use("test/support/a.ts", valueImport("#base/kernel/target.ts"), null),
  use("test/packages/d.ts", valueImport("../target.ts"), null),
  use("test/packages/e.ts", valueImport("../../packages/simulator/src/target.ts"), null),
];

const { forbidden: rules } = createRequire(import.meta.url)(join(project, ".dependency-cruiser.cjs")) as {
  forbidden: { name: string; comment: string }[];
};

let testEnv = "";
let violations: { from: string; rule: { name: string } }[] = [];

beforeAll(() => {
  testEnv = mkdtempSync(join(tmpdir(), "layers-"));
  for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(project, file), join(testEnv, file));
  symlinkSync(join(project, "node_modules"), join(testEnv, "node_modules"));
  const base = ["kernel", "config", "events", "queues", "files", "table", "aws", "net"].map(
    (name) => `shared/base/${name}`,
  );
  const rooms = ["one", "other"].flatMap((feature) =>
    ["rules", "store", "flows", "routes"].map((room) => `shared/features/${feature}/${room}`),
  );
  for (const layer of [
    ...base,
    ...rooms,
    ...["", "/graph", "/instagram", "/messenger"].map((folder) => `shared/platforms${folder}`),
    ...["shared/http", "functions", "functions/worker"],
    ...["local", "lib", "bin", "test", "web/check-page"],
    ...["cli", "client", "local-aws", "loopback", "receiver", "simulator"].map((name) => `packages/${name}/src`),
  ]) {
    plantFile(`${layer}/target.ts`, target);
  }
  for (const path of ["call.ts", "store/items.ts", "store/things-items.ts"])
    plantFile(`shared/features/other/${path}`, target);
  for (const path of ["flows.ts", "store.ts"]) plantFile(`shared/features/small/${path}`, target);
  plantFile(`${ONE}/ports.ts`, target);
  for (const { from, imports } of plantedImports) plantFile(from, imports);
  plantFile(`${ONE}/rules/circle-a.ts`, 'import { b } from "./circle-b.ts";\nexport const a: unknown = b;\n');
  plantFile(`${ONE}/rules/circle-b.ts`, 'import { a } from "./circle-a.ts";\nexport const b: unknown = a;\n');
  plantFile(`${ONE}/rules/left/one.ts`, 'import { two } from "../right/two.ts";\nexport const one: unknown = two;\n');
  plantFile(`${ONE}/rules/right/two.ts`, "export const two = 2;\n");
  plantFile(
    `${ONE}/rules/right/three.ts`,
    'import { four } from "../left/four.ts";\nexport const three: unknown = four;\n',
  );
  plantFile(`${ONE}/rules/left/four.ts`, "export const four = 4;\n");
  const run = spawnSync(
    process.execPath,
    [
      join(project, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs"),
      ...["--output-type", "json", "--config", ".dependency-cruiser.cjs"],
      ...["shared", "functions", "local", "lib", "bin", "web", "packages", "test/packages"],
    ],
    { cwd: testEnv, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  violations = JSON.parse(run.stdout).summary.violations;
}, 60_000);

afterAll(() => rmSync(testEnv, { recursive: true, force: true }));

test.each(plantedImports)("the import in $from is checked by the rule: $rule", ({ from, rule }) => {
  const caught = violations.filter((violation) => violation.from === from).map((violation) => violation.rule.name);
  if (rule === null) expect(caught).toEqual([]);
  else expect(caught).toContain(rule);
});

test("every rule of the layers has a planted violation", () => {
  const planted = new Set(plantedImports.map(({ rule }) => rule));
  const others = ["no cycles", "no cycles between folders", "local: packages", "bin: packages"];
  expect(rules.map(({ name }) => name).filter((name) => !planted.has(name) && !others.includes(name))).toEqual([]);
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
  /** The list at the end of a rule's comment: `events may import events, rules`. */
  const permitted = (rule: string, verb: string) =>
    list(
      rules
        .find(({ name }) => name === rule)
        ?.comment.split(`${verb} `)[1]
        ?.replace(" as types only", ""),
    );

  it("the table of layers in ARCHITECTURE.md has every layer of the rules and no other", () => {
    const layers = rules.flatMap(({ name }) => (name.endsWith(": layers") ? [name.slice(0, -8)] : []));
    expect(rows.map(({ layer }) => layer)).toEqual(expect.arrayContaining(layers));
    expect(rows).toHaveLength(layers.length);
  });

  it.each(rows)(
    "the table of layers in ARCHITECTURE.md permits the imports of the rules: $layer",
    ({ layer, imports }) => {
      const [values = "", types = ""] = imports.split(/;? ?types of /);
      const layers = (text = "") => list(text.split(";")[0]);
      expect([layer, ...layers(values)].sort()).toEqual(permitted(`${layer}: layers`, "may import"));
      expect(layers(types).sort()).toEqual(permitted(`${layer}: types only`, "may import"));
    },
  );

  it.each(rows)(
    "the table of layers in ARCHITECTURE.md permits the packages of the rules: $layer",
    ({ layer, packages }) => {
      const named = list(packages.replace(";", ",").replace(" (types)", "")).map(
        (name) => packagePatterns[name] ?? name,
      );
      expect(named.sort()).toEqual(permitted(`${layer}: packages`, "may use"));
    },
  );
});

const packagePatterns: Readonly<Record<string, string>> = {
  any: ".*",
  "AWS SDK with its parts in `@smithy`": "@(aws-sdk|smithy)/.+",
  "AWS SDK": "@aws-sdk/.+",
  "AWS SDK for DynamoDB": "@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)",
};

const list = (text = "") =>
  text
    .split(", ")
    .filter((name) => !["", "none", "nothing", "no package"].includes(name))
    .sort();

function plantFile(path: string, text: string): void {
  mkdirSync(dirname(join(testEnv, path)), { recursive: true });
  writeFileSync(join(testEnv, path), text);
}

test("the table of features in ARCHITECTURE.md has every feature and no other", () => {
  const [, rest = ""] = readFileSync(join(project, "ARCHITECTURE.md"), "utf8").split("### Features\n");
  const table = rest.split("\n\n").find((part) => part.startsWith("| Feature |")) ?? "";
  const listed = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  const folders = globSync("shared/features/*", { cwd: project }).map((path) => path.slice("shared/features/".length));
  expect(listed.sort()).toEqual(folders.sort());
});

test("of the imports between files of features, at least 65 % stay inside of their feature", () => {
  const files = globSync("shared/features/**/*.ts", { cwd: project });
  let inside = 0;
  let across = 0;
  for (const file of files) {
    const source = readFileSync(join(project, file), "utf8");
    // Inside of a feature imports are relative, and between features they have names.
    inside += source.match(/ from "\.\.?\//g)?.length ?? 0;
    across += source.match(/ from "#features\//g)?.length ?? 0;
  }
  expect(inside / (inside + across)).toBeGreaterThanOrEqual(0.65);
});

test.each(["simulator", "local-aws", "loopback"])(
  "no source of packages/%s names Parley, apart from packages",
  (name) => {
    const files = globSync(`packages/${name}/src/**/*.{ts,html,css,json}`, { cwd: project });
    expect(files).not.toEqual([]);
    const naming = files.filter((file) => /(?<!@)parley(?!-)/i.test(readFileSync(join(project, file), "utf8")));
    expect(naming).toEqual([]);
  },
);

// What a small file may be, by its name: the entry, the parts and the ports of a function, and what stands at the root of
// each feature or of its store.
const smallFiles = /\/(handler|app|worker|ports|routes|attributes|queue|events)\.ts$/;
/** Small files with one importer, and why they stand alone. */
const apart: Readonly<Record<string, string>> = {
  "functions/check-page/page-files.ts": "tests read the files of the page without the ports",
  "functions/connect/page-files.ts": "tests read the files of the pages without the ports",
  "functions/console/page-files.ts": "tests read the files of the pages without the ports",
  "packages/client/src/realtime/recent-ids.ts": "a test uses it without a connection",
  "packages/local-aws/src/mailbox/page/token.ts": "it stores in the tab, and its importer shows the page",
  "packages/simulator/src/banner.ts": "its importer runs the program when a test imports it",
  "packages/simulator/src/control/scenario-limits.ts": "what writes the published schema reads it, too",
  "packages/simulator/src/media/sample-document.ts": "each sample is a file, and its importer lists all",
  "shared/base/aws/metrics.ts": "log.ts, its importer, has more than 300 lines",
};

test("a file of fewer than 25 lines with one importer, in its folder or the one above, is part of another file", () => {
  const files = globSync(["{shared,functions}/**/*.ts", "packages/*/src/**/*.ts"], { cwd: project });
  const others = globSync("{bin,lib,local,web}/**/*.{ts,tsx}", { cwd: project });
  const importers = new Map<string, Set<string>>();
  for (const file of [...files, ...others]) {
    for (const [, name = ""] of readFileSync(join(project, file), "utf8").matchAll(
      /(?:from |import\()"([.#][^"]+)"/g,
    )) {
      const path = name.startsWith("#") ? namedPath(name) : join(dirname(file), name);
      importers.set(path, (importers.get(path) ?? new Set()).add(file));
    }
  }
  const small = files.filter((file) => {
    const [importer, ...rest] = importers.get(file) ?? [];
    const folder = dirname(file);
    const isNear = importer !== undefined && [folder, dirname(folder)].includes(dirname(importer));
    return isNear && rest.length === 0 && readFileSync(join(project, file), "utf8").split("\n").length <= 25;
  });
  expect(importers.size).toBeGreaterThan(files.length / 2);
  expect(small.filter((file) => !smallFiles.test(file)).sort()).toEqual(Object.keys(apart).sort());
});

/** The path of an import by name, such as `#base/kernel/ids.ts`. */
function namedPath(name: string): string {
  const { imports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    imports: Record<string, string>;
  };
  const alias = Object.entries(imports).find(([key]) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  return alias === undefined ? name : join(alias[1].replace("*", name.slice(alias[0].length - 1)));
}
