// Runs the synthesis as a child process: it blocks the thread for seconds, and its memory is freed when it ends.

import { join } from "node:path";
import { startBundling } from "../../lib/bundles/bundle-functions.ts";

const [outdir = "", context = "{}"] = process.argv.slice(2);
const bundling = startBundling(join(outdir, "bundles"));
// Loading the CDK takes about as long as bundling, which another process does.
const { synthesize } = await import("../../lib/app.ts");
synthesize({ outdir, context: JSON.parse(context) as Record<string, string>, bundles: await bundling });
