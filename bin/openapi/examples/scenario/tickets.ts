import type { Browser } from "./access.ts";
import type { Scenario } from "./scenario.ts";

/** Tickets of a key and of a person who is signed in. */
export async function recordTickets({ example, live }: Scenario, { read, write }: Browser): Promise<void> {
  const [ofKey, ofSession] = ["/v1/realtime/ticket", "/console/session/ws-ticket"];
  await example("createRealtimeTicket", "A ticket of a key", { method: "POST", path: ofKey, headers: live });
  await example("createRealtimeTicket", null, { method: "POST", path: ofKey });
  await example("createSessionTicket", "A ticket of a session", { method: "POST", path: ofSession, headers: write });
  await example("createSessionTicket", null, { method: "POST", path: ofSession, headers: read });
}
