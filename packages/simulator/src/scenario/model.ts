import type { Fields } from "../http/fields.ts";

/** A sequence of what people, the business and the platform do, as JSON. */
export interface Scenario {
  /** A title in a few words. */
  title: string;
  /** What happens and what to look at, in one to three sentences. */
  description: string;
  /** The platform whose accounts it is for; `any` for both. */
  platform: ScenarioPlatform;
  /** The name of the person who writes. */
  person: string;
  steps: ScenarioStep[];
}

export const scenarioPlatforms = ["instagram", "messenger", "any"] as const;
export type ScenarioPlatform = (typeof scenarioPlatforms)[number];

export interface ScenarioStep {
  /** The name of a control route, or `wait`. */
  do: StepName;
  /** The fields of the control route, without the account. */
  fields: Fields;
  /** How often it is done. */
  repeat: number;
  /** By how many people, who take turns. */
  people: number;
  /** A name for the message, which a later step uses as `$name`. Null without one. */
  as: string | null;
}

/** What a step can do: the control routes that act, and a pause. */
export const stepNames = [
  "person-sends",
  "account-sends",
  "people",
  "policy",
  "tokens",
  "restrictions",
  "subscriptions",
  "faults",
  "delivery",
  "deliver-now",
  "clock",
  "wait",
] as const;
export type StepName = (typeof stepNames)[number];

/** The newest run, which may still go on. */
export interface RunStatus {
  scenario: string;
  title: string;
  /** `stopped` if it was ended by hand, `failed` if a step was refused. */
  state: "running" | "completed" | "stopped" | "failed";
  /** The actions that are done, and how many the scenario has. */
  done: number;
  of: number;
  /** Why a step was refused; null if none was. */
  problem: string | null;
}
