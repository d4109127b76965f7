import { parentPort, workerData } from "node:worker_threads";
import { endlessResponses, startHostileReceiver } from "../support/hostile-receivers.ts";

// The receivers run in their own thread, so that their CPU does not count as the client's.
const responses = Object.values(endlessResponses);
const ports: number[] = [];
for (let receiver = 0; receiver < (workerData as number); receiver++) {
  const response = responses[receiver % responses.length];
  if (response) ports.push((await startHostileReceiver(response)).port);
}
parentPort?.postMessage(ports);
