import { formatSigningSecret, secretPrefix } from "../../domain/webhooks/endpoints.ts";
import { randomToken } from "../../kernel/bytes.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { WebhookPorts } from "./ports.ts";

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
