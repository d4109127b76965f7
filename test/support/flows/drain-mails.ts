import type { Mailer } from "#base/aws/mail.ts";
import { mailWorker } from "../../../functions/mail/worker.ts";
import { invokeWorker, type QueueWorker } from "./queue-worker.ts";
import type { TestEnv, TestQueues } from "./test-env.ts";

/** Runs the mail worker until its queue has no visible message. @param mail default: the emulated SES; null sends none */
export async function drainMails(
  testEnv: TestEnv,
  queues: Pick<TestQueues, "mails">,
  clients: { readonly mail?: Mailer | null } = {},
): Promise<void> {
  const worker = mailWorker(testEnv.mailPorts(queues, clients), testEnv.now) as QueueWorker;
  while ((await invokeWorker(testEnv.eventSource, queues.mails, worker)).records.length > 0);
}
