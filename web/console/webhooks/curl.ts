interface SignedRequest {
  readonly url: string;
  readonly body: string;
  readonly eventId: string;
  readonly eventType: string;
}

/** A shell command that makes the request of a delivery, signed at the time when it runs with the secret in `$SECRET`. */
export function signedRequest({ url, body, eventId, eventType }: SignedRequest): string {
  return [
    `BODY=${quote(body)}`,
    `TIME=$(date +%s)`,
    `MAC=$(printf %s "$TIME.$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    `curl -sS ${quote(url)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${quote(`Svc-Event-Id: ${eventId}`)} \\`,
    `  -H ${quote(`Svc-Event-Type: ${eventType}`)} \\`,
    `  -H "Svc-Timestamp: $TIME" \\`,
    `  -H "Svc-Signature: v1=$MAC" \\`,
    `  --data-binary "$BODY"`,
  ].join("\n");
}

/** A text as one word of a shell, in which nothing is replaced. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
