import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parseScenario } from "../../../../packages/simulator/src/control/parse-scenario.ts";
import { scenarioSchema } from "./scenario-schema.ts";

const src = fileURLToPath(new URL("../../../../packages/simulator/src", import.meta.url));
const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(join(src, "scenario.schema.json"), "utf8")),
);
const shipped = readdirSync(join(src, "scenarios")).map(
  (name) => [name, JSON.parse(readFileSync(join(src, "scenarios", name), "utf8"))] as const,
);

/** Whether the parser accepts a scenario. */
function parses(scenario: unknown): boolean {
  try {
    parseScenario(scenario);
    return true;
  } catch {
    return false;
  }
}

test("the published schema is the one that the rules of the parser make", async () => {
  // `vitest run -u` writes it again.
  await expect(`${JSON.stringify(scenarioSchema(), null, 2)}\n`).toMatchFileSnapshot(join(src, "scenario.schema.json"));
});

test.each(shipped)("the schema accepts the scenario %s, which names it", (_name, scenario) => {
  expect(validate(scenario), JSON.stringify(validate.errors)).toBe(true);
  expect(join(src, "scenarios", scenario.$schema)).toBe(join(src, "scenario.schema.json"));
});

const step = { do: "person-sends", text: "Hello" };
test.each<[string, unknown]>([
  ["a list", []],
  ["no steps", { title: "Nothing" }],
  ["an empty list of steps", { steps: [] }],
  ["101 steps", { steps: Array(101).fill(step) }],
  ["an unknown field", { steps: [step], titel: "A" }],
  ["an unknown platform", { steps: [step], platform: "telegram" }],
  ["a title of 81 characters", { steps: [step], title: "t".repeat(81) }],
  ["a schema that is no text", { steps: [step], $schema: 7 }],
  ["a step without a route", { steps: [{ text: "Hello" }] }],
  ["an unknown route", { steps: [{ do: "person-sings" }] }],
  ["a field of another route", { steps: [{ ...step, advance_ms: 1 }] }],
  ["a text that is a number", { steps: [{ ...step, text: 7 }] }],
  ["a text that is too long", { steps: [{ ...step, text: "t".repeat(20_001) }] }],
  ["an unknown kind", { steps: [{ ...step, kind: "telepathy" }] }],
  ["31 attachments", { steps: [{ ...step, attachments: Array(31).fill({}) }] }],
  ["a repetition of zero", { steps: [{ ...step, repeat: 0 }] }],
  ["a fraction of a person", { steps: [{ ...step, people: 1.5 }] }],
  ["a name in capitals", { steps: [{ ...step, as: "First" }] }],
  ["a wait without its time", { steps: [{ do: "wait" }] }],
  ["a wait whose time is null", { steps: [{ do: "wait", ms: null }] }],
  ["a fault without its mode", { steps: [{ do: "faults", for: 2 }] }],
])("the schema and the parser refuse a scenario with %s", (_what, scenario) => {
  expect([validate(scenario), parses(scenario)]).toEqual([false, false]);
});

test.each<[string, unknown]>([
  [
    "fields that are null",
    { steps: [{ ...step, kind: null, repeat: null, as: null, by_account: null }], person: null },
  ],
  [
    "every kind of step",
    { steps: [step, { do: "clock", advance_ms: 1 }, { do: "deliver-now" }, { do: "wait", ms: 1 }] },
  ],
])("the schema and the parser accept a scenario with %s", (_what, scenario) => {
  expect([validate(scenario), parses(scenario)]).toEqual([true, true]);
});
