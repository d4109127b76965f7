import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";

export interface OwnHostsProps {
  /** The HTTP API first. */
  readonly gateways: readonly [Gateway, ...Gateway[]];
  readonly bucketNames: readonly string[];
  /** The public URLs of the operator's own domains. */
  readonly publicUrls: readonly string[];
  /** The host of what is in front of a gateway. */
  readonly frontHosts: readonly string[];
}

interface Gateway extends Construct {
  /** The first label of the gateway's host name. */
  readonly apiId: string;
}

/** The host names of the deployment itself, separated by commas. A webhook URL must not name one of them. */
export function ownHosts({ gateways, bucketNames, publicUrls, frontHosts }: OwnHostsProps): string {
  const { region, urlSuffix } = Stack.of(gateways[0]);
  const endpoints = ["s3", `s3.${region}`, `s3.dualstack.${region}`];
  return [
    ...publicUrls.map((url) => new URL(url).hostname),
    ...frontHosts,
    ...gateways.map(({ apiId }) => `${apiId}.execute-api.${region}.${urlSuffix}`),
    ...bucketNames.flatMap((bucket) => endpoints.map((s3) => `${bucket}.${s3}.${urlSuffix}`)),
  ].join(",");
}
