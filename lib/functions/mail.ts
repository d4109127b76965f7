import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, queueVariables, rootSecretVariables, tableVariables } from "./function-context.ts";

export function createMailsQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Mails", {
    deadLetters,
    // A sign-in link lasts 15 minutes, and an invite can be sent again.
    retention: Duration.days(1),
  });
}

/** Mails sign-in links, invites and notices to owners. No other function may send mail. */
export function createMail(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, settings, mail, code } = context;
  const mailer = new Worker(scope, "Mail", {
    description: "Parley: mails sign-in links, invites and notices",
    code: code("Mail"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...queueVariables(context, "Mails"),
      ...rootSecretVariables(context),
      [env.signUp]: settings.signUp,
      ...mail?.variables,
    },
  }).addQueue(queues.Mails.queue, queueConcurrency(settings).Mails);
  data.table.allow(mailer.functionRole, {
    actions: ["GetItem", "Query"],
    // It claims sign-in links and the invites of tenants.
    writesUnder: { UpdateItem: ["TOK#", "T#"] },
  });
  allowReading(data.secrets.root, mailer.functionRole);
  queues.Mails.allowSending(mailer.functionRole);
  mail?.allowSending(mailer.functionRole);
  return mailer;
}
