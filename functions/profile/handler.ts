import { clockNow } from "#base/kernel/time.ts";
import { profilePorts } from "./ports.ts";
import { profileWorker } from "./worker.ts";

/** Consumes the profiles queue: fetches the profiles of people who write. */
export const handler = profileWorker(profilePorts(), clockNow);
