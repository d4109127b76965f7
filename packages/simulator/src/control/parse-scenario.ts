import {
  atPlace,
  BadInput,
  type Fields,
  isFields,
  optionalEnum,
  optionalInteger,
  optionalString,
  refuseUnknownFields,
  requiredString,
} from "../http/fields.ts";
import { messageFields } from "../scenario/message-ids.ts";
import { type Scenario, type ScenarioStep, scenarioPlatforms, stepNames } from "../scenario/model.ts";
import { scenarioLimits } from "./scenario-limits.ts";
import { requiredFields, stepFields } from "./step-fields.ts";

const { stepsMax, repeatMax, peopleMax, actionsMax, titleCharsMax, descriptionCharsMax, personCharsMax, stepName } =
  scenarioLimits;
const stepMembers = ["do", "repeat", "people", "as"];

/** Parses a scenario. Throws a BadInput that names the place, such as `steps[2]: unknown field "txt"`. */
export function parseScenario(value: unknown): Scenario {
  if (!isFields(value)) throw new BadInput('a scenario must be an object such as {"title": "…", "steps": []}');
  refuseUnknownFields(value, ["title", "description", "platform", "person", "steps", "$schema"]);
  // The address of the JSON Schema, for editors.
  optionalString(value, "$schema");
  const { steps } = value;
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > stepsMax)
    throw new BadInput(`steps must be a list of 1 to ${stepsMax} steps`);
  const names = new Set<string>();
  const parsedSteps = steps.map((step: unknown, at) => atPlace(`steps[${at}]`, () => parseStep(step, names)));
  const actions = parsedSteps.reduce((sum, { repeat }) => sum + repeat, 0);
  if (actions > actionsMax) throw new BadInput(`the steps repeat ${actions} times in all; the limit is ${actionsMax}`);
  return {
    title: limitedText(value, "title", titleCharsMax) || "Scenario",
    description: limitedText(value, "description", descriptionCharsMax),
    platform: optionalEnum(value, "platform", scenarioPlatforms) ?? "any",
    person: limitedText(value, "person", personCharsMax) || "Robin Vale",
    steps: parsedSteps,
  };
}

function limitedText(fields: Fields, name: string, charsMax: number): string {
  const text = optionalString(fields, name) ?? "";
  if (text.length > charsMax) throw new BadInput(`${name} is longer than ${charsMax} characters`);
  return text.trim();
}

/** Adds the step's name of a message to `names`, which later steps may use. */
function parseStep(value: unknown, names: Set<string>): ScenarioStep {
  if (!isFields(value)) throw new BadInput('a step must be an object such as {"do": "person-sends", "text": "Hello"}');
  requiredString(value, "do");
  const name = optionalEnum(value, "do", stepNames);
  if (name === undefined) throw new BadInput(`do must be one of ${stepNames.join(", ")}`);
  const rules = stepFields[name];
  refuseUnknownFields(value, [...stepMembers, ...Object.keys(rules)]);
  for (const [field, { check }] of Object.entries(rules)) check(value, field);
  for (const field of requiredFields[name] ?? [])
    if (value[field] === undefined || value[field] === null)
      throw new BadInput(`${field} is missing: ${name} requires it`);
  checkReferences(value, names);
  const as = optionalString(value, "as") ?? null;
  if (as !== null && !stepName.test(as))
    throw new BadInput("as must be 1 to 30 lowercase letters, digits and underscores, and begin with a letter");
  if (as !== null) names.add(as);
  const fields = Object.fromEntries(Object.entries(value).filter(([field]) => Object.hasOwn(rules, field)));
  return {
    do: name,
    fields,
    repeat: optionalInteger(value, "repeat", 1, repeatMax) ?? 1,
    people: optionalInteger(value, "people", 1, peopleMax) ?? 1,
    as,
  };
}

function checkReferences(fields: Fields, names: ReadonlySet<string>): void {
  for (const field of messageFields) {
    const value = fields[field];
    if (typeof value !== "string" || !value.startsWith("$") || names.has(value.slice(1))) continue;
    throw new BadInput(`${field} ${JSON.stringify(value.slice(0, 40))} is the name of no earlier step: set "as" there`);
  }
}
