import { clockNow } from "#base/kernel/time.ts";
import { mailPorts } from "./ports.ts";
import { mailWorker } from "./worker.ts";

/** Consumes the mails queue: mails sign-in links, invites and notices to owners. */
export const handler = mailWorker(mailPorts(), clockNow);
