import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Enough for two invocations to race, and for a third one while both wait. */
const SANDBOXES_MAX = 3;
const PER_QUEUE = 2;

interface Template {
  readonly Resources: Readonly<Record<string, { Type: string; Properties?: Record<string, unknown> }>>;
}

/**
 * Lowers the concurrency of all functions in a synthesized assembly. Each further sandbox takes half a second of CPU time
 * until its code is compiled, and a burst of messages would open twenty.
 */
export function limitConcurrency(assembly: string): void {
  for (const name of readdirSync(assembly).filter((file) => file.endsWith(".template.json"))) {
    const file = join(assembly, name);
    const template = JSON.parse(readFileSync(file, "utf8")) as Template;
    for (const resource of Object.values(template.Resources)) {
      if (resource.Type === "AWS::Lambda::Function")
        resource.Properties = { ...resource.Properties, ReservedConcurrentExecutions: SANDBOXES_MAX };
      if (resource.Type === "AWS::Lambda::EventSourceMapping")
        resource.Properties = { ...resource.Properties, ScalingConfig: { MaximumConcurrency: PER_QUEUE } };
    }
    writeFileSync(file, JSON.stringify(template));
  }
}
