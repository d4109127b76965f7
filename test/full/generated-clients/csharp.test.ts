import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";
import { expectWorkingClient, openClientFolder } from "./support/client-folder.ts";
import { followGuide, run, TIMEOUT_MS } from "./support/follow-guide.ts";

const hasDotnet = spawnSync("dotnet", ["--version"], { timeout: 20_000 }).status === 0;
const condition = hasDotnet ? "" : " (no dotnet here, so it is generated and not compiled)";

const stack = openedOnce(startLocalStack);
const folder = openedOnce(() => openClientFolder(stack));

it(
  "openapi-generator generates a client for C# with every operation and the type of each event",
  async () => {
    await followGuide("C#", folder.path);
    const source = join(folder.path, "client/src/Parley.Api");
    const texts = globSync("Api/*.cs", { cwd: source }).map((file) => readFileSync(join(source, file), "utf8"));
    const code = texts.join("\n");
    const models = globSync("Model/*.cs", { cwd: source }).map((file) => readFileSync(join(source, file), "utf8"));
    // An enum in C# has numbers: one of booleans does not compile.
    expect(models.filter((text) => /enum \w+\s*\{[^}]* = (true|false)/.test(text))).toEqual([]);
    const { paths, components } = JSON.parse(readFileSync(join(folder.path, "openapi.json"), "utf8"));
    const operations = Object.values<object>(paths).flatMap((item) =>
      Object.values<{ operationId?: string }>(item as never).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(operations.length).toBeGreaterThan(50);
    const missing = operations.filter((id) => !code.includes(` ${id.charAt(0).toUpperCase()}${id.slice(1)}(`));
    expect(missing).toEqual([]);
    const types = Object.keys(components.schemas.Event.discriminator.mapping);
    const events = globSync("Model/*Event.cs", { cwd: source }).map((file) => readFileSync(join(source, file), "utf8"));
    const values = events.join("\n");
    expect(types.filter((type) => !values.includes(`[EnumMember(Value = "${type}")]`))).toEqual([]);
  },
  TIMEOUT_MS,
);

it.skipIf(!hasDotnet)(
  `the client for C# lists, reads and replies, and the verifier verifies a webhook${condition}`,
  async () => {
    folder.add("docs/guides/receivers/Verify.cs");
    for (const file of ["Program.cs", "Program.csproj"]) folder.add(`test/full/generated-clients/programs/${file}`);
    await run("dotnet", ["build", "--output", "built", "Program.csproj"], folder.path);
    await expectWorkingClient(stack, folder, (env) => run("dotnet", ["built/Program.dll"], folder.path, env));
  },
  TIMEOUT_MS,
);
