import type { Challenge } from "./calls.ts";
import type { Task } from "./solve.ts";

const WORKERS_MAX = 4;

/**
 * Solves a challenge in workers, each taking the next puzzle when it is done with one.
 * @param progress is told how many puzzles are solved
 * @throws when a worker cannot be loaded or run
 */
export function solveChallenge(challenge: Challenge, progress: (solved: number) => void): Promise<number[]> {
  const workers: Worker[] = [];
  const solutions: number[] = [];
  let next = 0;
  let solved = 0;
  return new Promise<number[]>((resolve, reject) => {
    const hire = () => {
      const worker = new Worker("/verify/solver.js");
      workers.push(worker);
      let at = -1;
      const takeNext = () => {
        if (next === challenge.count) return;
        at = next++;
        worker.postMessage(taskOf(challenge, at));
      };
      worker.addEventListener("message", (event: MessageEvent<number>) => {
        solutions[at] = event.data;
        progress(++solved);
        if (solved === challenge.count) resolve(solutions);
        else takeNext();
      });
      worker.addEventListener("error", () => reject(new Error("the worker does not run")));
      takeNext();
    };
    const count = Math.min(navigator.hardwareConcurrency || 2, WORKERS_MAX, challenge.count);
    for (let i = 0; i < count; i++) hire();
  }).finally(() => {
    for (const worker of workers) worker.terminate();
  });
}

function taskOf({ token, saltChars, targetChars }: Challenge, at: number): Task {
  return { token, number: at + 1, saltChars, targetChars };
}
