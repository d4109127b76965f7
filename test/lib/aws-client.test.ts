import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { awsClientAliases, chosenAwsClient } from "../../lib/bundles/aws-client.ts";
import { PROJECT } from "../docs/markdown.ts";

it("the functions have the lean client, and the SDK where the environment asks for it", () => {
  expect(chosenAwsClient({})).toBe("lean");
  expect(chosenAwsClient({ PARLEY_AWS_CLIENT: "" })).toBe("lean");
  expect(chosenAwsClient({ PARLEY_AWS_CLIENT: "sdk" })).toBe("sdk");
  expect(awsClientAliases("sdk")).toEqual({});
  expect(() => chosenAwsClient({ PARLEY_AWS_CLIENT: "SDK" })).toThrow(
    'PARLEY_AWS_CLIENT is "SDK": set it to lean or sdk, or leave it out.',
  );
});

it("a lean module has each name that the product imports of the package that it replaces", async () => {
  const aliases = awsClientAliases("lean");
  const sources = globSync("{shared,functions}/**/*.ts", { cwd: PROJECT })
    .filter((file) => !file.startsWith("functions/admin/"))
    .map((file) => readFileSync(`${PROJECT}/${file}`, "utf8"));
  const uses = sources.flatMap((text) =>
    [...text.matchAll(/^import \{([^}]*)\} from "(@aws-sdk\/[^"]+)";/gm)].flatMap(([, names = "", name = ""]) => {
      const values = names.split(",").map((each) => each.trim());
      return values.filter((each) => each !== "" && !each.startsWith("type ")).map((value) => ({ name, value }));
    }),
  );
  expect(uses.length).toBeGreaterThan(80);
  for (const { name, value } of uses) {
    const file = aliases[name];
    if (file === undefined) continue;
    expect(Object.keys(await import(file)), `${value} of ${name}`).toContain(value);
  }
  expect(new Set(uses.map(({ name }) => name))).toEqual(
    new Set([...Object.keys(aliases), "@aws-sdk/client-apigatewaymanagementapi", "@aws-sdk/client-sesv2"]),
  );
});
