import type { Mailer } from "#base/aws/mail.ts";
import { mailWorker } from "../../../functions/mail/worker.ts";
import { invokeWorker, type QueueWorker } from "./queue-worker.ts";
import type { TestEnv, TestQueues } from "./test-env.ts";

/**
 * Runs the mail worker until its queue has no visible message.
 * @param clients `mail`: by default the emulated SES; null sends none
 * @returns how many messages the worker received
 */
export async function drainMails(
  testEnv: TestEnv,
  queues: Pick<TestQueues, "mails">,
  clients: { readonly mail?: Mailer | null } = {},
): Promise<number> {
  const worker = mailWorker(testEnv.mailPorts(queues, clients), testEnv.now) as QueueWorker;
  for (let received = 0; ; ) {
    const { records } = await invokeWorker(testEnv.eventSource, queues.mails, worker);
    if (records.length === 0) return received;
    received += records.length;
  }
}
