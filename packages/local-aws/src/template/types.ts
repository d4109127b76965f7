import { LocalRefusal } from "../support/local-refusal.ts";
import { describeResource, type StackResource } from "./template.ts";

/** Resource types that the local stack creates. */
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
  "AWS::SES::ConfigurationSet",
]);

/** Permissions, logs and alarms: the local stack behaves the same without them. */
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

/** Properties that change the behavior of a supported type and that the local stack does not implement. */
const unsupportedProperties: Readonly<Record<string, readonly string[]>> = {
  "AWS::SQS::Queue": ["FifoQueue"],
  "AWS::Lambda::EventSourceMapping": ["FilterCriteria", "SourceAccessConfigurations"],
  "AWS::Lambda::Function": ["VpcConfig", "FileSystemConfigs", "Layers", "ImageConfig"],
  "AWS::ApiGatewayV2::Api": ["CorsConfiguration", "Target", "Body", "BodyS3Location", "ApiKeySelectionExpression"],
  "AWS::ApiGatewayV2::Route": [
    "AuthorizerId",
    "RequestParameters",
    "ApiKeyRequired",
    "RouteResponseSelectionExpression",
  ],
  "AWS::ApiGatewayV2::Integration": [
    "RequestParameters",
    "ResponseParameters",
    "RequestTemplates",
    "ContentHandlingStrategy",
  ],
  "AWS::Events::Rule": ["EventPattern"],
};

export function isSupportedType(type: string): boolean {
  return supportedTypes.has(type);
}

/** Throws a LocalRefusal for a resource that behaves differently in the cloud. */
export function checkType(stackResource: StackResource): void {
  const { Type, Properties = {} } = stackResource.resource;
  if (!supportedTypes.has(Type) && !ignoredTypes.some((type) => type.test(Type))) {
    throw new LocalRefusal(
      `The local stack cannot create ${describeResource(stackResource)}. Remove it from the template.`,
    );
  }
  const unsupported = unsupportedProperties[Type]?.find((property) => Properties[property] !== undefined);
  if (unsupported)
    throw new LocalRefusal(`The local stack does not support ${unsupported} of ${describeResource(stackResource)}.`);
}
