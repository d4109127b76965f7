// A process of its own: writing the templates and bundling take seconds of pure computing, and the CDK's memory goes
// away with the process.

import { synthesize } from "../../lib/app.ts";

const [outdir = "", context = "{}"] = process.argv.slice(2);
synthesize({ outdir, context: JSON.parse(context) as Record<string, string> });
