import { InvalidCiphertextException, KMSClient } from "@aws-sdk/client-kms";
import { inProcess, inProcessSettings } from "../../support/world/sdk-in-process.ts";

interface Sealing {
  readonly Plaintext?: Uint8Array;
  readonly CiphertextBlob?: Uint8Array;
  readonly EncryptionContext: Record<string, string>;
}

/** Binds each ciphertext to its context, and encrypts nothing. */
export function keyClient(): KMSClient {
  const serve = (command: string, { Plaintext, CiphertextBlob, EncryptionContext }: Sealing) => {
    const context = JSON.stringify(Object.entries(EncryptionContext).sort());
    if (command === "Encrypt") {
      const sealed = { context, text: Buffer.from(Plaintext ?? []).toString("base64") };
      return { CiphertextBlob: Buffer.from(JSON.stringify(sealed)) };
    }
    const sealed = JSON.parse(Buffer.from(CiphertextBlob ?? []).toString());
    if (sealed.context !== context)
      throw new InvalidCiphertextException({ message: "other context", $metadata: { httpStatusCode: 400 } });
    return { Plaintext: Buffer.from(sealed.text, "base64") };
  };
  return inProcess(new KMSClient(inProcessSettings(serve)));
}
