// The CDK app. `npx cdk deploy --all` runs it; `npm run synth -- <folder>` writes the assembly without the CDK command.
import { fileURLToPath } from "node:url";
import { synthesize } from "../lib/app.ts";
import { SettingError } from "../lib/config/settings.ts";

const outdir = process.argv[2] ?? process.env.CDK_OUTDIR ?? "cdk.out";
const stagesFolder = fileURLToPath(new URL("../stages", import.meta.url));
try {
  synthesize({ outdir, stagesFolder, validate: true });
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
