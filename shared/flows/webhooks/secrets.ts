import { formatSigningSecret, secretPrefix } from "../../domain/webhooks/endpoints.ts";
import { randomToken } from "../../kernel/bytes.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { WebhookPorts } from "./ports.ts";

const SIGNING_SECRET_BYTES = 32;

/** A new signing secret of an endpoint: as it is shown once, what may be shown of it later, and as it is kept. */
export async function mintSecret(
  ports: Pick<WebhookPorts, "vault">,
  tenant: TenantId,
  endpointId: string,
): Promise<{ secret: string; prefix: string; sealed: Uint8Array }> {
  const secret = formatSigningSecret(randomToken(SIGNING_SECRET_BYTES));
  const sealed = await ports.vault.seal(secret, { purpose: "webhook-secret", tenant, owner: endpointId });
  return { secret, prefix: secretPrefix(secret), sealed };
}
