import { fromBase64 } from "./attribute-values.ts";
import { type ClientOptions, commandClass, LeanClient } from "./client.ts";
import { jsonRpc } from "./json-rpc.ts";

const protocol = jsonRpc({
  service: "kms",
  clientName: "KMSClient",
  version: "1.1",
  target: "TrentService",
  decodeBody(output) {
    for (const name of ["CiphertextBlob", "Plaintext"]) if (output[name]) output[name] = fromBase64(output[name]);
    return output;
  },
});

/** Instead of `KMSClient` of @aws-sdk/client-kms. */
export class KMSClient extends LeanClient {
  constructor(options?: ClientOptions) {
    super(protocol, options);
  }
}

export class DecryptCommand extends commandClass("Decrypt") {}
export class EncryptCommand extends commandClass("Encrypt") {}
export class DescribeKeyCommand extends commandClass("DescribeKey") {}
