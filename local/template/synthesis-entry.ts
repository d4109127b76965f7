// Runs the synthesis as a child process: it blocks the thread for seconds, and its memory is freed when it ends.

import { synthesize } from "../../lib/app.ts";

const [outdir = "", context = "{}"] = process.argv.slice(2);
synthesize({ outdir, context: JSON.parse(context) as Record<string, string> });
