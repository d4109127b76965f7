import { scenarioLimits } from "../../../../packages/simulator/src/control/scenario-limits.ts";
import { requiredFields, stepFields } from "../../../../packages/simulator/src/control/step-fields.ts";
import { scenarioPlatforms, stepNames } from "../../../../packages/simulator/src/scenario/model.ts";

const { stepsMax, repeatMax, peopleMax, actionsMax, titleCharsMax, descriptionCharsMax, personCharsMax, stepName } =
  scenarioLimits;

/**
 * The JSON Schema of a scenario, made from the rules of the parser. The package publishes it as `scenario.schema.json`.
 * What a schema cannot say, the parser alone checks: that all steps together repeat at most 2,000 times, and that `$name`
 * names an earlier step.
 */
export function scenarioSchema(): object {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Scenario of the simulator",
    description: `A list of steps that people, the business and the platform do. All steps together repeat at most ${actionsMax} times.`,
    type: "object",
    properties: {
      $schema: { type: ["string", "null"], description: "The address of this schema, for editors." },
      title: { ...limited(titleCharsMax), description: "A title in a few words." },
      description: { ...limited(descriptionCharsMax), description: "What happens, and what to look at." },
      platform: {
        enum: [...scenarioPlatforms, null],
        description: "The platform whose accounts it is for. Default: any.",
      },
      person: { ...limited(personCharsMax), description: "Who writes, unless a step names another person." },
      steps: { type: "array", minItems: 1, maxItems: stepsMax, items: { anyOf: stepNames.map(stepSchema) } },
    },
    required: ["steps"],
    additionalProperties: false,
  };
}

function stepSchema(name: (typeof stepNames)[number]): object {
  const fields = Object.entries(stepFields[name]).map(([field, { schema }]) => [field, schema]);
  const required = requiredFields[name] ?? [];
  return {
    type: "object",
    properties: {
      do: { const: name },
      repeat: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: repeatMax,
        description: "How often it is done. Default: 1.",
      },
      people: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: peopleMax,
        description: "How many people take turns. Default: 1.",
      },
      as: {
        type: ["string", "null"],
        pattern: stepName.source,
        description: "A name for the message. A later step uses it as $name.",
      },
      ...Object.fromEntries(fields),
    },
    required: ["do", ...required],
    // Null means that a field is absent, which a required one may not be.
    ...(required.length === 0
      ? {}
      : { not: { anyOf: required.map((field) => ({ properties: { [field]: { type: "null" } } })) } }),
    additionalProperties: false,
  };
}

const limited = (charsMax: number) => ({ type: ["string", "null"], maxLength: charsMax });
