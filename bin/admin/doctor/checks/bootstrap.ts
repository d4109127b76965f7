import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { DoctorContext } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, skipped, type Verdict } from "../verdict.ts";

/** Where the CDK's bootstrap writes its version, with the CDK's own qualifier. */
const PARAMETER = "/cdk-bootstrap/hnb659fds/version";
/** What the assemblies of this version of the CDK require. */
const VERSION_MIN = 6;

/** Whether `cdk bootstrap` prepared the account and region. */
export async function checkBootstrap({ isLocal, stage, services }: DoctorContext): Promise<Verdict> {
  if (isLocal) return skipped("The local stack needs no bootstrap.");
  const target = stage?.account ? ` aws://${stage.account}/${stage.region}` : "";
  const fix = `Run npx cdk bootstrap${target}.`;
  try {
    const command = new GetParameterCommand({ Name: PARAMETER });
    const { Parameter } = await call("ssm:GetParameter", new SSMClient(services).send(command));
    const version = Number(Parameter?.Value);
    if (version >= VERSION_MIN) return ok(`The CDK's bootstrap has version ${version}.`);
    return blocking(`The CDK's bootstrap is older than version ${VERSION_MIN}.`, fix);
  } catch (error) {
    if (!isError(error, "ParameterNotFound")) throw error;
    return blocking("The account and region are not prepared for the CDK.", fix);
  }
}
