import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { Construct } from "constructs";
import type { BudgetSetting } from "../../config/settings.ts";

/** A budget of the AWS account, which reports 80 percent of its amount when it is spent, and all of it when it is forecast. */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { amount, notify }: BudgetSetting) {
    super(scope, id);
    const subscribers = [{ subscriptionType: notify.startsWith("arn:") ? "SNS" : "EMAIL", address: notify }];
    const notification = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
      notification: {
        notificationType,
        threshold,
        thresholdType: "PERCENTAGE",
        comparisonOperator: "GREATER_THAN",
      },
      subscribers,
    });
    new CfnBudget(this, "Budget", {
      budget: { budgetType: "COST", timeUnit: "MONTHLY", budgetLimit: { amount, unit: "USD" } },
      notificationsWithSubscribers: [notification("ACTUAL", 80), notification("FORECASTED", 100)],
    });
  }
}
