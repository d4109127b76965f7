import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import { toWebhookBody } from "#platforms/platforms.ts";
import { type Composition, compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { accountPlatformFor } from "../ports/account-platforms.ts";
import { eraseAccountPorts } from "../ports/erasing.ts";
import { files } from "../ports/files.ts";
import { vault } from "../ports/keys.ts";
import { checkInterval, log, wait } from "../ports/process.ts";
import { events, inbound, mails, receivedMessages } from "../ports/queues.ts";
import { eventBodies, messages, pageUses, restoredErasures } from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function accountsPorts(host: Host = processHost): TaskPorts & WorkerPorts {
  return compose(host, {
    ...eraseAccountPorts,
    pageUses,
    checkInterval,
    eventBodies,
    messages,
    restoredErasures,
    renderWebhook: () => toWebhookBody,
    queueWebhook,
    wait,
    events,
    accountPlatformFor,
    vault,
    mails,
    receivedMessages,
    log,
  });
}

/** Queues a webhook as the intake does. */
function queueWebhook({ all }: Composition): TaskPorts["queueWebhook"] {
  const ports = all({ inbound, files });
  return (raw, now) => receiveWebhook(ports, raw, now);
}
