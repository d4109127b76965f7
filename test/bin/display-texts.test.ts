import { describe, expect, it } from "vitest";
import { readArguments } from "../../bin/admin/arguments.ts";
import { CliError } from "../../bin/admin/cli-error.ts";
import { newKey, newOperatorKey } from "../../bin/admin/keys.ts";
import { newTenant } from "../../bin/admin/tenants.ts";

// The commands refuse such a text before they look for a deployment.

const hidden = ["a\u200eb", "a\u200fb", "a\u061cb", "a\u200bb", "a\ufeffb", "a\u202eb", "a\nb", "a\u001b[1mb"];
const values = readArguments(["tenant", "create", "acme", "--owner", "ann@example.com"]);

it.each([...hidden, "", " ", "\u3164", "x".repeat(81)])("tenant create refuses the name %j", async (name) => {
  await expect(newTenant({ ...values, name })).rejects.toThrow(
    new CliError("Invalid --name. Use one line of 1 to 80 characters, without control and format characters."),
  );
});

describe.each([
  ["key create", newKey],
  ["operator-key create", newOperatorKey],
])("%s", (_, create) => {
  it.each([...hidden, "x".repeat(101)])("the command refuses the label %j", async (label) => {
    await expect(create({ ...values, tenant: "acme", tenants: "acme", label })).rejects.toThrow(
      new CliError("Invalid --label. Use one line of at most 100 characters, without control and format characters."),
    );
  });
});
