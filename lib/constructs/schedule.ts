import type { Duration } from "aws-cdk-lib";
import { Schedule as Expression, Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

export interface ScheduleProps {
  readonly every: Duration;
  readonly target: IFunction;
}

/** Invokes a function at a fixed interval. */
export class Schedule extends Construct {
  constructor(scope: Construct, id: string, { every, target }: ScheduleProps) {
    super(scope, id);
    new Rule(this, "Rule", { schedule: Expression.rate(every), targets: [new LambdaFunction(target)] });
  }
}
