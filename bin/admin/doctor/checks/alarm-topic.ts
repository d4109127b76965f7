import { ListSubscriptionsByTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import type { DoctorContext } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, skipped, type Verdict, warning } from "../verdict.ts";

/** Whether an alarm reaches someone. */
export async function checkAlarmTopic({ isLocal, settings, services }: DoctorContext): Promise<Verdict> {
  if (isLocal) return skipped("The local stack has no alarms.");
  if (settings === null) return skipped("Only with --stage, whose file has the settings.");
  const { alarmTopicArn: TopicArn } = settings;
  if (TopicArn === null) {
    return warning("The alarms notify no one, because alarmTopicArn is not set.", "Set it to the ARN of an SNS topic.");
  }
  try {
    const request = new SNSClient(services).send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    const { Subscriptions = [] } = await call("sns:ListSubscriptionsByTopic", request);
    // The others have no ARN yet, but `PendingConfirmation`.
    const confirmed = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn?.startsWith("arn:"));
    if (confirmed.length > 0) return ok(`The topic of the alarms has ${confirmed.length} confirmed subscriptions.`);
    const pending = Subscriptions.length > 0;
    return warning(
      `The topic of the alarms has no ${pending ? "confirmed " : ""}subscription, so that they notify no one.`,
      pending
        ? "Confirm the subscription with the link that SNS mailed."
        : `Run aws sns subscribe --topic-arn ${TopicArn} --protocol email --notification-endpoint <address>.`,
    );
  } catch (error) {
    if (!isError(error, "NotFoundException", "NotFound")) throw error;
    return blocking(`The topic ${TopicArn} does not exist.`, "Create it, or correct alarmTopicArn.");
  }
}
