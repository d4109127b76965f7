/** The limits of a scenario, which its parser and its JSON Schema have in common. Texts are measured in UTF-16 code units. */
export const scenarioLimits = {
  stepsMax: 100,
  repeatMax: 1_000,
  peopleMax: 100,
  /** Of all steps together. */
  actionsMax: 2_000,
  titleCharsMax: 80,
  descriptionCharsMax: 500,
  personCharsMax: 60,
  /** The name that a step gives its message. */
  stepName: /^[a-z][a-z0-9_]{0,29}$/,
} as const;
