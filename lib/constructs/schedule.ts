import type { Duration } from "aws-cdk-lib";
import { Schedule as Expression, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

export interface ScheduleProps {
  readonly every: Duration;
  readonly target: IFunction;
  /** The function's event. Default: the event of AWS. */
  readonly input?: Readonly<Record<string, string>>;
}

/**
 * Invokes a function at a fixed interval. A run that cannot be started is not started later: the next one does the same work.
 * The function itself says that a run that failed is not repeated.
 */
export class Schedule extends Construct {
  constructor(scope: Construct, id: string, { every, target, input }: ScheduleProps) {
    super(scope, id);
    const event = input && RuleTargetInput.fromObject(input);
    const lambda = new LambdaFunction(target, { ...(event ? { event } : {}), retryAttempts: 0 });
    new Rule(this, "Rule", { schedule: Expression.rate(every), targets: [lambda] });
  }
}
