import { CfnOutput } from "aws-cdk-lib";
import { ApiMapping, DomainName, type IApi, type IStage, SecurityPolicy } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { Construct } from "constructs";
import type { DomainSetting } from "../config/settings.ts";

export interface CustomDomainProps {
  readonly domain: DomainSetting;
  readonly api: IApi;
  readonly stage: IStage;
  /** The output with the name to which the operator's DNS record points. */
  readonly output: string;
}

/** Maps a domain of the operator to the stage of an API, at its root. */
export function mapDomain(scope: Construct, { domain, api, stage, output }: CustomDomainProps): void {
  const name = new DomainName(scope, "Domain", {
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(scope, "Certificate", domain.certificateArn),
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new ApiMapping(scope, "Mapping", { api, domainName: name, stage });
  new CfnOutput(scope, output, { value: name.regionalDomainName }).overrideLogicalId(output);
}
