import type { Challenge } from "./calls.ts";
import type { Puzzle } from "./solve.ts";

const WORKERS_MAX = 4;

/**
 * Solves a challenge in parallel workers. Each takes the next puzzle when it has solved one.
 * @param onProgress called with the number of solved puzzles
 * @throws when a worker cannot be loaded or run
 */
export function solveChallenge(challenge: Challenge, onProgress: (solved: number) => void): Promise<number[]> {
  const workers: Worker[] = [];
  const solutions: number[] = [];
  let next = 0;
  let solved = 0;
  return new Promise<number[]>((resolve, reject) => {
    const startWorker = () => {
      const worker = new Worker("/verify/solver.js");
      workers.push(worker);
      let index = -1;
      const assignNext = () => {
        if (next === challenge.count) return;
        index = next++;
        worker.postMessage(toPuzzle(challenge, index));
      };
      worker.addEventListener("message", (event: MessageEvent<number>) => {
        solutions[index] = event.data;
        onProgress(++solved);
        if (solved === challenge.count) resolve(solutions);
        else assignNext();
      });
      worker.addEventListener("error", () => reject(new Error("The worker could not run.")));
      assignNext();
    };
    const count = Math.min(navigator.hardwareConcurrency || 2, WORKERS_MAX, challenge.count);
    for (let i = 0; i < count; i++) startWorker();
  }).finally(() => {
    for (const worker of workers) worker.terminate();
  });
}

function toPuzzle({ token, saltChars, targetChars }: Challenge, index: number): Puzzle {
  return { token, number: index + 1, saltChars, targetChars };
}
