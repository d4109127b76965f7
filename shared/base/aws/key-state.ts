import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";

/** Reads the state of a KMS key, such as `Enabled`, `Disabled` or `PendingDeletion`. */
export function openKeyState(
  keyId: string,
  client: KMSClient = new KMSClient(requestOptions(requestTimeouts.keys)),
): () => Promise<string> {
  client.middlewareStack.use(callScopePlugin);
  return async () => {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: keyId }));
    return KeyMetadata?.KeyState ?? "unknown";
  };
}
