import { solve, type Task } from "./solve.ts";

// A worker of the check page: one task in, one solution out.
addEventListener("message", (event: MessageEvent<Task>) => postMessage(solve(event.data)));
