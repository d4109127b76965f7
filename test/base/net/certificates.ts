import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate and its key, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

const OPENSSL = "openssl";

/** Node cannot create certificates, so they need openssl on the machine. */
export function hasOpenssl(): boolean {
  try {
    execFileSync(OPENSSL, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export function selfSigned(host: string): Identity {
  const directory = mkdtempSync(join(tmpdir(), "parley-tls-"));
  try {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    execFileSync(OPENSSL, ["req", "-x509", ...curve, "-keyout", key, "-out", cert, "-days", "1", ...name], {
      stdio: "ignore",
    });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
