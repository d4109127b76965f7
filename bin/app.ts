// The CDK app. `npx cdk deploy --all` runs it; `npm run synth -- <folder>` writes the assembly without the CDK command.
import { synthesize } from "../lib/app.ts";

const outdir = process.argv[2] ?? process.env.CDK_OUTDIR ?? "cdk.out";
synthesize({ outdir, validate: true });
