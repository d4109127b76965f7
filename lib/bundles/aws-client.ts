import { fileURLToPath } from "node:url";

/** Which client of AWS the functions have: `lean` (default), or `sdk`, the reference. */
export const AWS_CLIENT_VARIABLE = "PARLEY_AWS_CLIENT";

export type AwsClient = "lean" | "sdk";

/** Packages of the SDK, and the file of `shared/base/aws/lean` that a bundle has instead. */
const replacements = {
  "@aws-sdk/client-dynamodb": "dynamodb",
  "@aws-sdk/client-kms": "kms",
  "@aws-sdk/client-s3": "s3",
  "@aws-sdk/client-secrets-manager": "secrets-manager",
  "@aws-sdk/client-sqs": "sqs",
  "@aws-sdk/lib-dynamodb": "dynamodb",
  "@aws-sdk/s3-presigned-post": "s3-presign",
  "@aws-sdk/s3-request-presigner": "s3-presign",
  "@aws-sdk/util-dynamodb": "dynamodb",
};

/** The client that the environment asks for. @throws Error for another name */
export function chosenAwsClient(env: NodeJS.ProcessEnv = process.env): AwsClient {
  const name = env[AWS_CLIENT_VARIABLE] || "lean";
  if (name === "lean" || name === "sdk") return name;
  throw new Error(`${AWS_CLIENT_VARIABLE} is "${name}": set it to lean or sdk, or leave it out.`);
}

/**
 * The modules that a bundle has instead of those that the sources import. A client is chosen when the functions are
 * bundled, because a bundle with both would be larger than either.
 */
export function awsClientAliases(client: AwsClient): Record<string, string> {
  if (client === "sdk") return {};
  const lean = new URL("../../shared/base/aws/lean/", import.meta.url);
  return Object.fromEntries(
    Object.entries(replacements).map(([name, file]) => [name, fileURLToPath(new URL(`${file}.ts`, lean))]),
  );
}
