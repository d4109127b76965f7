import { randomToken } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { WebhookPorts } from "../ports.ts";
import { formatSigningSecret, secretPrefix } from "../rules/endpoints.ts";

const SIGNING_SECRET_BYTES = 32;

/** Creates a signing secret: in clear for the response, its prefix for display, and sealed for storage. */
export async function mintSecret(
  ports: Pick<WebhookPorts, "vault">,
  tenant: TenantId,
  endpointId: string,
): Promise<{ secret: string; prefix: string; sealed: Uint8Array }> {
  const secret = formatSigningSecret(randomToken(SIGNING_SECRET_BYTES));
  const sealed = await ports.vault.seal(secret, { purpose: "webhook-secret", tenant, owner: endpointId });
  return { secret, prefix: secretPrefix(secret), sealed };
}
