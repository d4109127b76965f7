import { clockNow } from "../../shared/kernel/time.ts";
import { profilePorts } from "./ports.ts";
import { profileWorker } from "./worker.ts";

/** Behind the profiles queue: looks up the people who write. */
export const handler = profileWorker(profilePorts(), clockNow);
