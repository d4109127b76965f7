import { writeFileAtomic } from "../support/atomic-write.ts";
import { REGION } from "../template/intrinsics.ts";

/** Writes the endpoints of a running stack in the form of the AWS tools, which `AWS_CONFIG_FILE` names. */
export function writeAwsConfig(file: string, endpoints: { readonly services: string; readonly table: string }): void {
  const lines = [
    "[default]",
    `region = ${REGION}`,
    `endpoint_url = ${endpoints.services}`,
    "services = local-aws",
    "s3 =",
    "  addressing_style = path",
    "",
    "[services local-aws]",
    "dynamodb =",
    `  endpoint_url = ${endpoints.table}`,
  ];
  writeFileAtomic(file, `${lines.join("\n")}\n`);
}
