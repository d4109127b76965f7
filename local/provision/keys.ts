import { CreateKeyCommand, DescribeKeyCommand } from "@aws-sdk/client-kms";
import { LocalRefusal } from "../support/settings-error.ts";
import type { Identity } from "../template/intrinsics.ts";
import { nameOf, type Placed } from "../template/template.ts";
import type { Workshop } from "./provision-context.ts";

/** A key has no name to find it by: its id is kept. A kept key that is gone took every sealed token with it. */
export async function makeKey(
  placed: Placed,
  _properties: unknown,
  { clients, kept, keep }: Workshop,
): Promise<Identity> {
  const slot = `key ${placed.stack}/${placed.id}`;
  const known = kept.get(slot);
  if (known !== undefined) {
    try {
      const { KeyMetadata } = await clients.kms.send(new DescribeKeyCommand({ KeyId: known }));
      return identity(known, KeyMetadata?.Arn);
    } catch (error) {
      if ((error as Error).name !== "NotFoundException") throw error;
      throw new LocalRefusal(`The key of ${nameOf(placed)} is gone, and what it sealed is lost: start with --fresh.`);
    }
  }
  const { KeyMetadata } = await clients.kms.send(new CreateKeyCommand({}));
  if (!KeyMetadata?.KeyId) throw new Error("CreateKey answered no key id");
  keep(slot, KeyMetadata.KeyId);
  return identity(KeyMetadata.KeyId, KeyMetadata.Arn);
}

function identity(id: string, arn: string | undefined): Identity {
  return { ref: id, attributes: { KeyId: id, ...(arn ? { Arn: arn } : {}) } };
}
