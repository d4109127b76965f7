import { connect } from "node:tls";

export type Failure = "unreachable" | "timeout" | "too_large" | "aborted";

const CERTIFICATE_TIMEOUT_MS = 3_000;

/** Codes of OpenSSL and Node.js for a certificate that no trusted authority issued. */
const UNTRUSTED = /SELF_SIGNED_CERT|ISSUER_CERT|LEAF_SIGNATURE|^CERT_UNTRUSTED$/;

/** Why a receiver was not reached, with the fix, in one sentence or two. */
export async function failureReason(error: NodeJS.ErrnoException, url: URL): Promise<string> {
  const { code = error.message } = error;
  const place = url.host;
  if (UNTRUSTED.test(code)) {
    const certificate = await describeCertificate(url);
    return `${place} has a certificate that this machine does not trust${certificate}. Pass its file: --trust-certificate FILE, or set NODE_EXTRA_CA_CERTS=FILE.`;
  }
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `The certificate of ${place} has expired${await describeCertificate(url)}. Renew it.`;
    case "CERT_NOT_YET_VALID":
      return `The certificate of ${place} is not valid yet. Check the clock of this machine.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate of ${place} is for another name${await describeCertificate(url)}. Use a name of the certificate in the URL.`;
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return `${place} does not speak TLS. Use http:// in the URL.`;
    case "HPE_INVALID_CONSTANT":
      return `${place} does not answer with HTTP/1.1. Check the port, and enable HTTP/1.1.`;
    case "ECONNREFUSED":
      return `Nothing listens on ${place}. Start the receiver.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The name ${url.hostname} does not resolve. Check the URL.`;
    case "ECONNRESET":
      return `${place} closed the connection without a response. See the log of the receiver.`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${place} does not answer (${code}). Check the address and the firewall.`;
    default:
      return `The request to ${place} failed (${code}).`;
  }
}

/** The subject and the fingerprint of a certificate that was refused, in parentheses. Empty when the receiver shows none. */
function describeCertificate({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve) => {
    // Only to read the certificate: nothing is sent.
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false }, () => {
      const { subject, fingerprint256, valid_to } = socket.getPeerCertificate();
      finish(fingerprint256 ? ` (${subject?.CN ?? "no name"}, until ${valid_to}, SHA-256 ${fingerprint256})` : "");
    });
    const finish = (text: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(CERTIFICATE_TIMEOUT_MS, () => finish(""));
    socket.on("error", () => finish(""));
  });
}
