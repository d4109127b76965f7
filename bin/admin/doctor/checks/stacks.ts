import { stacks } from "../../../../lib/config/stack-names.ts";
import { StackMissing } from "../../stage.ts";
import { type DoctorContext, stageContext } from "../context.ts";
import { blocking, ok, skipped, type Verdict, warning } from "../verdict.ts";

/** Whether the stacks exist, with the outputs that the commands read. */
export async function checkStacks(context: DoctorContext): Promise<Verdict> {
  const { isLocal, stage, stackProblem } = context;
  if (isLocal) return ok("The local stack runs.");
  if (stage === null) return skipped(`Variables name the deployment, and ${stacks.service} is not read.`);
  if (stackProblem === null) return ok("Both stacks are deployed.");
  if (stackProblem instanceof StackMissing) {
    return warning(
      `Stack ${stackProblem.stackName} is not deployed.`,
      `Run npx cdk deploy --all${stageContext(context)}.`,
    );
  }
  const [problem = "", ...fix] = stackProblem.message.split(/(?<=\.) (?=[A-Z])/);
  const isUnread = /^(Access denied|Stack .* cannot be read)/.test(problem);
  return (isUnread ? warning : blocking)(problem, fix.join(" "));
}
