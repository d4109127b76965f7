#!/usr/bin/env node
import { runLocalStack } from "./index.ts";

// The program `parley-dev`, which `parley dev` runs, too.

await runLocalStack(process.argv.slice(2));
