import { type Puzzle, solve } from "./solve.ts";

// A worker of the check page: one task in, one solution out.
addEventListener("message", (event: MessageEvent<Puzzle>) => postMessage(solve(event.data)));
