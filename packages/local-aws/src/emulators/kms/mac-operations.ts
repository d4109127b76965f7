import { createHmac } from "node:crypto";
import { z } from "zod";
import { sameBytes } from "../../support/bytes.ts";
import { type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import type { Key, KeyRing } from "./keys.ts";
import { keyMaterial } from "./sealing.ts";

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));
const macInput = z.object({
  KeyId: z.string(),
  Message: base64,
  MacAlgorithm: z.enum(["HMAC_SHA_224", "HMAC_SHA_256", "HMAC_SHA_384", "HMAC_SHA_512"]),
});

/** The operations that generate and verify message authentication codes. */
export function macOperations(ring: KeyRing): Record<string, Operation> {
  return {
    GenerateMac: operation(macInput, (input) => {
      const { key, mac } = computeMac(ring, input);
      return { KeyId: ring.arn(key), Mac: mac.toString("base64"), MacAlgorithm: input.MacAlgorithm };
    }),
    VerifyMac: operation(macInput.extend({ Mac: base64 }), (input) => {
      const { key, mac } = computeMac(ring, input);
      if (!sameBytes(mac, input.Mac)) throw new ServiceError("KMSInvalidMacException", "The MAC does not match.");
      return { KeyId: ring.arn(key), MacValid: true, MacAlgorithm: input.MacAlgorithm };
    }),
  };
}

function computeMac(ring: KeyRing, input: z.infer<typeof macInput>): { key: Key; mac: Buffer } {
  const key = ring.findUsable(input.KeyId, "GENERATE_VERIFY_MAC");
  const bits = input.MacAlgorithm.slice("HMAC_SHA_".length);
  if (key.spec !== `HMAC_${bits}`) {
    throw new ServiceError("InvalidKeyUsageException", `A key of ${key.spec} does not support ${input.MacAlgorithm}.`);
  }
  return { key, mac: createHmac(`sha${bits}`, keyMaterial(key)).update(input.Message).digest() };
}
