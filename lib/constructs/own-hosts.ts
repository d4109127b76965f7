import { Stack } from "aws-cdk-lib";
import type { HttpApi } from "./http-api.ts";

export interface OwnHostsProps {
  readonly gateway: HttpApi;
  readonly bucketName: string;
  /** Where people reach the API; null where that is the gateway. */
  readonly baseUrl: string | null;
}

/** The host names at which a deployment itself answers, with commas between: no webhook may lead to them. */
export function ownHosts({ gateway, bucketName, baseUrl }: OwnHostsProps): string {
  const { region, urlSuffix } = Stack.of(gateway);
  const hosts = [
    `${gateway.apiId}.execute-api.${region}.${urlSuffix}`,
    ...["s3", `s3.${region}`, `s3.dualstack.${region}`].map((s3) => `${bucketName}.${s3}.${urlSuffix}`),
  ];
  return [...(baseUrl === null ? [] : [new URL(baseUrl).hostname]), ...hosts].join(",");
}
