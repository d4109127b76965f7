import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import type { DoctorContext } from "../context.ts";
import { call } from "../run-checks.ts";
import { blocking, ok, skipped, type Verdict } from "../verdict.ts";

/** The account and the region of the credentials against those of the stage. */
export async function checkAccount({ isLocal, stage, services }: DoctorContext): Promise<Verdict> {
  if (isLocal) return skipped("The local stack has no account.");
  const client = new STSClient(services);
  const region = await client.config.region().catch(() => null);
  if (region === null) return blocking("Missing region.", "Set AWS_REGION, or write it to the file of the stage.");
  const { Account } = await call("sts:GetCallerIdentity", client.send(new GetCallerIdentityCommand({})));
  if (stage !== null && stage.account !== null && stage.account !== Account) {
    return blocking(
      `Your AWS credentials are of account ${Account}, but stage ${stage.name} is in ${stage.account}.`,
      `Use credentials of ${stage.account}, or correct stages/${stage.name}.json.`,
    );
  }
  return ok(`Account ${Account}, region ${region}.`);
}
