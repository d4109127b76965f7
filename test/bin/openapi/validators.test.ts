import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";

// Two independent validators read the document with its examples.

const text = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");

it("the OpenAPI document is valid OpenAPI 3.1 by its JSON Schema", async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

it("the OpenAPI document has no error and no warning by the recommended rules", async () => {
  const rules = {
    // The routes that only redirect.
    "operation-2xx-response": "off",
    // By default, this rule forbids the fields that another part of an `allOf` declares.
    "no-invalid-media-type-examples": { severity: "error", allowAdditionalProperties: true },
  } as const;
  const config = await createConfig({ extends: ["recommended"], rules });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  const reports = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
  // What only the extensions `x-realtime` and `x-unrouted` reference, and the choice of all events for generated clients.
  const isOfExtension = (report: string) => /^no-unused-components: .*(Frame|MethodNotAllowed|\/Event)$/.test(report);
  expect(reports.filter((report) => !isOfExtension(report))).toEqual([]);
});

it("the validator finds what is wrong: a response without a description", async () => {
  const whole = JSON.parse(text);
  const broken = { ...whole, paths: { "/health": whole.paths["/health"] }, webhooks: {} };
  delete broken.paths["/health"].get.responses[200].description;
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(broken), absoluteRef: "openapi.json", config });
  expect(problems.map(({ message }) => message)).toContain("The field `description` must be present on this level.");
  expect((await new Validator().validate(broken)).valid).toBe(false);
});
