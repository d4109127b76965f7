import { LocalRefusal } from "../support/settings-error.ts";
import { describeResource, type StackResource } from "./template.ts";

/** Resource types the local stack makes. */
const supportedTypes = new Set([
  "AWS::KMS::Key",
  "AWS::DynamoDB::Table",
  "AWS::DynamoDB::GlobalTable",
  "AWS::SecretsManager::Secret",
  "AWS::SQS::Queue",
  "AWS::S3::Bucket",
  "AWS::Lambda::Function",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Events::Rule",
  "AWS::Scheduler::Schedule",
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Stage",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::Integration",
]);

/** Types that say who may do what, or watch and announce: on one machine nothing behaves differently without them. */
const ignoredTypes = [
  /^AWS::IAM::/,
  /^AWS::Logs::/,
  /^AWS::CloudWatch::/,
  /^AWS::SNS::/,
  /^AWS::Budgets::/,
  /^AWS::XRay::/,
  /^AWS::CDK::Metadata$/,
  /^AWS::KMS::Alias$/,
  /^AWS::Lambda::(Permission|EventInvokeConfig)$/,
  /^AWS::(SQS::Queue|SNS::Topic|S3::Bucket)Policy$/,
  /^AWS::SecretsManager::ResourcePolicy$/,
  /^AWS::Scheduler::ScheduleGroup$/,
];

/** Properties of a made type that change what it does and that the local stack does not imitate. */
const unsupportedProperties: Readonly<Record<string, readonly string[]>> = {
  "AWS::SQS::Queue": ["FifoQueue"],
  "AWS::Lambda::EventSourceMapping": ["FilterCriteria", "SourceAccessConfigurations"],
  "AWS::Lambda::Function": ["VpcConfig", "FileSystemConfigs", "Layers", "ImageConfig"],
  "AWS::ApiGatewayV2::Api": ["CorsConfiguration", "Target", "Body", "BodyS3Location"],
  "AWS::ApiGatewayV2::Route": ["AuthorizerId", "RequestParameters"],
  "AWS::ApiGatewayV2::Integration": ["RequestParameters", "ResponseParameters"],
  "AWS::Events::Rule": ["EventPattern"],
};

export function isSupportedType(type: string): boolean {
  return supportedTypes.has(type);
}

/** Throws a LocalRefusal for a resource that would do something in the cloud and nothing here. */
export function checkType(stackResource: StackResource): void {
  const { Type, Properties = {} } = stackResource.resource;
  if (!supportedTypes.has(Type) && !ignoredTypes.some((type) => type.test(Type))) {
    throw new LocalRefusal(
      `The local stack cannot make ${describeResource(stackResource)}: teach it the type in local/, or leave it out of the template.`,
    );
  }
  const unsupported = unsupportedProperties[Type]?.find((property) => Properties[property] !== undefined);
  if (unsupported)
    throw new LocalRefusal(`The local stack does not imitate ${unsupported} of ${describeResource(stackResource)}.`);
}
