import type { FunctionName } from "#base/config/names.ts";
import { resourceProperties, synthesizeTemplates } from "../../synth-templates.ts";

const { service } = synthesizeTemplates();

/** The environment variables of a function. @param template default: the service with no settings */
export function functionEnvironment(name: FunctionName, template = service) {
  return (resourceProperties(template, name).Environment as { Variables: Record<string, unknown> }).Variables;
}
