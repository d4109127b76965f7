import { type ClientOptions, commandClass, LeanClient } from "./client.ts";
import { exceptionClass } from "./exceptions.ts";
import { jsonRpc } from "./json-rpc.ts";

const protocol = jsonRpc({
  service: "secretsmanager",
  clientName: "SecretsManagerClient",
  version: "1.1",
  target: "secretsmanager",
  decodeBody(output) {
    // Seconds.
    if (typeof output.CreatedDate === "number") output.CreatedDate = new Date(output.CreatedDate * 1_000);
    return output;
  },
});

/** Instead of `SecretsManagerClient` of @aws-sdk/client-secrets-manager. */
export class SecretsManagerClient extends LeanClient {
  constructor(options?: ClientOptions) {
    super(protocol, options);
  }
}

export class GetSecretValueCommand extends commandClass("GetSecretValue") {}
export class PutSecretValueCommand extends commandClass("PutSecretValue") {}
export class UpdateSecretVersionStageCommand extends commandClass("UpdateSecretVersionStage") {}

export const ResourceNotFoundException = exceptionClass("ResourceNotFoundException");
export const InvalidParameterException = exceptionClass("InvalidParameterException");
