import { Stack } from "aws-cdk-lib";
import type { HttpApi } from "../constructs/http-api.ts";

export interface OwnHostsProps {
  readonly gateway: HttpApi;
  readonly bucketNames: readonly string[];
  /** The public URL of the API; null if that is the gateway's own. */
  readonly baseUrl: string | null;
}

/** The host names of the deployment itself, separated by commas. A webhook URL must not name one of them. */
export function ownHosts({ gateway, bucketNames, baseUrl }: OwnHostsProps): string {
  const { region, urlSuffix } = Stack.of(gateway);
  const endpoints = ["s3", `s3.${region}`, `s3.dualstack.${region}`];
  const hosts = [
    `${gateway.apiId}.execute-api.${region}.${urlSuffix}`,
    ...bucketNames.flatMap((bucket) => endpoints.map((s3) => `${bucket}.${s3}.${urlSuffix}`)),
  ];
  return [...(baseUrl === null ? [] : [new URL(baseUrl).hostname]), ...hosts].join(",");
}
