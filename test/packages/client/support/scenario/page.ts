import { Parley } from "#client";
import { runScenario } from "./scenario.ts";

// The script of a page: what the test calls in it.

Object.assign(globalThis, { Parley, runScenario });
