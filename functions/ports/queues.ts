import { openDeadLetterQueues } from "#base/aws/dead-letter-queues.ts";
import { openDepths } from "#base/aws/depths.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { backgroundQueues as backgroundQueueNames, type QueueName, queueUrlNames } from "#base/config/names.ts";
import { deadLetterQueueUrlSettings, setting, sourceQueueSettings } from "#base/config/settings.ts";
import type { Host } from "../host.ts";

// The queues, by the names of the work that they carry.

export const inbound = (host: Host) => openNamed(host, "Inbound");
export const events = (host: Host) => openNamed(host, "Events");
export const retries = (host: Host) => openNamed(host, "Deliveries");
export const slowRetries = (host: Host) => openNamed(host, "SlowDeliveries");
export const profileWork = (host: Host) => openNamed(host, "Profiles");
export const erasureWork = (host: Host) => openNamed(host, "Erasures");
export const mails = (host: Host) => openNamed(host, "Mails");
export const uploadWork = (host: Host) => openNamed(host, "Uploads");
export const accountWork = (host: Host) => openNamed(host, "Accounts");
export const realtime = (host: Host) => openNamed(host, "Realtime");

/** The queue from which a worker receives. */
export const receivedMessages = ({ clients }: Host) => openReceivedMessages(clients.sqs);

/** How many messages wait in the queues of background work. */
export const backgroundQueues = ({ settings, clients }: Host) =>
  openDepths(new Map(backgroundQueueNames.map((name) => [name, setting(queueUrlNames[name], settings)])), clients.sqs);

export const deadLetterQueues = ({ settings, clients }: Host) =>
  openDeadLetterQueues(deadLetterQueueUrlSettings(settings), clients.sqs);

export const findSourceQueue = ({ settings }: Host) => sourceQueueSettings(settings);

function openNamed({ settings, clients }: Host, name: QueueName) {
  return openQueue(setting(queueUrlNames[name], settings), clients.sqs);
}
