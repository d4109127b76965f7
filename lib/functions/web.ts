import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import type { FunctionContext } from "./function-context.ts";

/** Where the platforms serve the pictures and videos of messages and profiles. */
const MEDIA_ORIGINS = ["https://*.cdninstagram.com", "https://*.fbcdn.net", "https://*.fbsbx.com"];

/**
 * The console, the documentation's pages and the OpenAPI document: files beside its code. It has access to nothing, and
 * knows addresses only to name them in the policy of the console.
 */
export function createWeb(scope: Construct, { data, code }: FunctionContext): NodeFunction {
  const { region, urlSuffix } = Stack.of(scope);
  return new NodeFunction(scope, "Web", {
    description: "Parley: the console, the documentation and the OpenAPI document",
    code: code("Web"),
    memoryMegabytes: 512,
    environment: {
      [env.uploadUrl]: `https://${data.uploads.bucket.bucketName}.s3.${region}.${urlSuffix}`,
      [env.mediaOrigins]: MEDIA_ORIGINS.join(" "),
    },
  });
}
