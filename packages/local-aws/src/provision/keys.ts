import { CreateKeyCommand, DescribeKeyCommand } from "@aws-sdk/client-kms";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Identity } from "../template/intrinsics.ts";
import { describeResource, type StackResource } from "../template/template.ts";
import type { ProvisionContext } from "./provision-context.ts";

/** Creates a key and stores its id, because a key has no name. Without a stored key its ciphertexts are lost. */
export async function provisionKey(
  stackResource: StackResource,
  _properties: unknown,
  { clients, physicalIds, savePhysicalId }: ProvisionContext,
): Promise<Identity> {
  const stateKey = `key ${stackResource.stack}/${stackResource.id}`;
  const storedKeyId = physicalIds.get(stateKey);
  if (storedKeyId !== undefined) {
    try {
      const { KeyMetadata } = await clients.kms.send(new DescribeKeyCommand({ KeyId: storedKeyId }));
      return toIdentity(storedKeyId, KeyMetadata?.Arn);
    } catch (error) {
      if ((error as Error).name !== "NotFoundException") throw error;
      throw new LocalRefusal(
        `The key of ${describeResource(stackResource)} is missing, so stored tokens cannot be decrypted. Start with --fresh.`,
      );
    }
  }
  const { KeyMetadata } = await clients.kms.send(new CreateKeyCommand({}));
  if (!KeyMetadata?.KeyId) throw new Error("CreateKey answered no key id");
  savePhysicalId(stateKey, KeyMetadata.KeyId);
  return toIdentity(KeyMetadata.KeyId, KeyMetadata.Arn);
}

function toIdentity(id: string, arn: string | undefined): Identity {
  return { ref: id, attributes: { KeyId: id, ...(arn ? { Arn: arn } : {}) } };
}
