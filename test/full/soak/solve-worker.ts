// A worker thread that solves the challenge of a check: seconds of CPU time, in which the receivers must go on answering.
import { parentPort, workerData } from "node:worker_threads";
import { sha256Hex } from "#base/kernel/bytes.ts";
import { type Challenge, derivePuzzles } from "#features/holds/rules/proof-of-work.ts";

const token = workerData as string;
const terms = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as Challenge;
const solutions = derivePuzzles(token, terms).map(({ salt, target }) => {
  for (let n = 0; ; n++) if (sha256Hex(`${salt}${n}`).startsWith(target)) return n;
});
parentPort?.postMessage(solutions);
