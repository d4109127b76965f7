import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type QueueName, queues, queueUrlNames } from "#base/config/names.ts";
import { optionalSetting } from "#base/config/settings.ts";
import { type DoctorContext, notDeployed } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, type Verdict, warning, worst } from "../verdict.ts";

const MISSING = ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"];

/** Whether every queue exists with its dead letter queue, and whether that is empty. */
export async function checkQueues(context: DoctorContext): Promise<Verdict> {
  const { environment, services } = context;
  if (environment === null) return notDeployed(context);
  const client = new SQSClient(services);
  const urls = queues.map((name) => [name, optionalSetting(queueUrlNames[name], environment)] as const);
  const verdicts = await Promise.all(
    urls.map(([name, url]) =>
      url === null ? warning(`The URL of queue ${name} is not known.`, "Use --stage.") : checkQueue(client, name, url),
    ),
  );
  return worst(verdicts, `All ${queues.length} queues have a dead letter queue, which is empty.`);
}

async function checkQueue(client: SQSClient, name: QueueName, QueueUrl: string): Promise<Verdict> {
  try {
    const { RedrivePolicy } = await readAttributes(client, QueueUrl, "RedrivePolicy");
    const target = readTarget(RedrivePolicy);
    if (target === null) {
      return blocking(`Queue ${name} has no dead letter queue.`, "Deploy ParleyService again.");
    }
    const request = client.send(new GetQueueUrlCommand({ QueueName: target }));
    const { QueueUrl: deadLettersUrl = "" } = await call("sqs:GetQueueUrl", request);
    const { ApproximateNumberOfMessages = "0" } = await readAttributes(
      client,
      deadLettersUrl,
      "ApproximateNumberOfMessages",
    );
    if (ApproximateNumberOfMessages === "0") return ok("");
    return warning(
      `${ApproximateNumberOfMessages} dead letters of ${name} wait in their queue, where dlq list does not show them.`,
      "The sweep reads them every five minutes. If they remain, see the alarm WatchFindings in docs/operate/monitoring.md.",
    );
  } catch (error) {
    if (!isError(error, ...MISSING)) throw error;
    return blocking(`Queue ${name} or its dead letter queue does not exist.`, "Deploy ParleyService again.");
  }
}

async function readAttributes(
  client: SQSClient,
  QueueUrl: string,
  name: "RedrivePolicy" | "ApproximateNumberOfMessages",
): Promise<Readonly<Record<string, string>>> {
  const request = client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  return (await call("sqs:GetQueueAttributes", request)).Attributes ?? {};
}

/** The name of the dead letter queue in a redrive policy. */
function readTarget(policy: string | undefined): string | null {
  if (policy === undefined) return null;
  const { deadLetterTargetArn } = JSON.parse(policy) as { readonly deadLetterTargetArn?: string };
  return deadLetterTargetArn?.split(":").at(-1) ?? null;
}
