import { type Puzzle, solve } from "./solve.ts";

// A worker of the check page: it receives one puzzle per message and posts the solution.
addEventListener("message", (event: MessageEvent<Puzzle>) => postMessage(solve(event.data)));
