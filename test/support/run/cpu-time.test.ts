import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { runCpuTime } from "./cpu-time.ts";

const SPINS_THEN_WAITS = "for (const end = Date.now() + 200; Date.now() < end; ); setInterval(() => {}, 1_000);";
const STARTS_ANOTHER = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(SPINS_THEN_WAITS)}], { stdio: ["pipe", "ignore", "ignore"] }).once("spawn", function () { console.log(this.pid); });`;

it.runIf(process.platform === "linux")("a run's CPU time includes what a killed worker had started", async () => {
  const cpuTime = runCpuTime();
  const before = cpuTime.seconds() ?? 0;
  const worker = spawn(process.execPath, ["-e", STARTS_ANOTHER], { stdio: ["ignore", "pipe", "ignore"] });
  const [pid] = await once(worker.stdout, "data");
  const whileRunning = await waitFor("the worker's child has used its time", () => {
    const seconds = cpuTime.seconds() ?? 0;
    return seconds > before + 0.2 && seconds;
  });
  worker.kill("SIGKILL");
  await once(worker, "exit");
  process.kill(Number(pid), "SIGKILL");
  expect(cpuTime.seconds()).toBeGreaterThanOrEqual(whileRunning);
});
