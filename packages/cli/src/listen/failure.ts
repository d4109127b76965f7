import { connect, type TLSSocket } from "node:tls";

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
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return handshakeReason(`${code} ${error.message}`, url);
  if (/^(ECONNRESET|HPE_)/.test(code) && url.protocol === "http:" && (await speaksTls(url)))
    return `${place} speaks TLS. Use https:// in the URL.`;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `The certificate of ${place} has expired${await describeCertificate(url)}. Renew it.`;
    case "CERT_NOT_YET_VALID":
      return `The certificate of ${place} is not valid yet. Check the clock of this machine.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate of ${place} is for another name${await describeCertificate(url)}. Use a name of the certificate in the URL.`;
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

const CLIENT_CERTIFICATE = "wants a client certificate, and Parley has none. Turn this off in the receiver.";

/** @param text the code and the message, of which OpenSSL puts the cause in either */
async function handshakeReason(text: string, url: URL): Promise<string> {
  const place = url.host;
  const cause = text.replaceAll("_", " ").toLowerCase();
  if (/wrong version number|packet length too long|http request/.test(cause))
    return `${place} does not speak TLS. Use http:// in the URL.`;
  if (/protocol version|unsupported protocol/.test(cause))
    return `${place} speaks only a TLS older than 1.2. Enable TLS 1.2 or 1.3 in the receiver.`;
  if (cause.includes("certificate required")) return `${place} ${CLIENT_CERTIFICATE}`;
  if (cause.includes("handshake failure")) {
    // TLS 1.2 has one alert for both. Only a receiver with a common cipher shows its own certificate first.
    return (await describeCertificate(url)) === ""
      ? `${place} shares no cipher with this machine. Enable the ciphers of TLS 1.2 or 1.3 in the receiver.`
      : `${place} ${CLIENT_CERTIFICATE}`;
  }
  const [, reason = text] = /:SSL routines:[^:]*:([^:]+):/.exec(text) ?? [];
  return `The TLS handshake with ${place} failed (${reason}).`;
}

/** Whether TLS begins at the address, also if the receiver ends it. */
function speaksTls(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    const socket = connectUnchecked(url, () => finish(true));
    socket.setTimeout(CERTIFICATE_TIMEOUT_MS, () => finish(false));
    socket.on("error", ({ message }) => finish(/\balert\b/.test(message)));
  });
}

/** Only to learn what the receiver shows: nothing is sent. */
function connectUnchecked({ hostname, port, protocol }: URL, onConnect: () => void): TLSSocket {
  const host = hostname.replace(/^\[|\]$/g, "");
  const defaultPort = protocol === "http:" ? 80 : 443;
  return connect({ host, port: Number(port || defaultPort), rejectUnauthorized: false }, onConnect);
}

/** The subject and the fingerprint of a certificate that was refused, in parentheses. Empty when the receiver shows none. */
function describeCertificate(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const finish = (text: string) => {
      socket.destroy();
      resolve(text);
    };
    const finishWithCertificate = () => {
      const { subject, fingerprint256, valid_to } = socket.getPeerCertificate() ?? {};
      finish(fingerprint256 ? ` (${subject?.CN ?? "no name"}, until ${valid_to}, SHA-256 ${fingerprint256})` : "");
    };
    const socket = connectUnchecked(url, finishWithCertificate);
    socket.setTimeout(CERTIFICATE_TIMEOUT_MS, () => finish(""));
    socket.on("error", finishWithCertificate);
  });
}
