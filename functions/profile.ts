import { clockNow } from "../shared/kernel/time.ts";
import { profilePorts } from "./wiring/profile.ts";
import { profileWorker } from "./workers/profile.ts";

/** Behind the profiles queue: looks up the people who write. */
export const handler = profileWorker(profilePorts(), clockNow);
