import { readFileSync } from "node:fs";
import { signWebhook } from "../../packages/support/sign-webhook.ts";

/** A receiver's input, and whether it must accept it. A null header is absent. */
export interface SignedCase {
  readonly title: string;
  readonly body: Uint8Array;
  readonly timestamp: string | null;
  readonly signature: string | null;
  readonly secret: string;
  /** The receiver's clock, in unix seconds. */
  readonly now: number;
  readonly valid: boolean;
}

/** The cases of `signed-cases.json`, whose bodies are text. */
type RecordedCase = Omit<SignedCase, "body"> & { readonly body: string };

export const recordedCases: readonly RecordedCase[] = JSON.parse(
  readFileSync(new URL("signed-cases.json", import.meta.url), "utf8"),
);
const sent = recordedCases[0] as RecordedCase;
export const SECRET = sent.secret;

function largeCase(): SignedCase {
  const body = JSON.stringify({ text: "ж".repeat(150_000) });
  const headers = signWebhook([SECRET], "evt_1", body, sent.now * 1_000);
  const [timestamp, signature] = [headers["svc-timestamp"], headers["svc-signature"]];
  return { ...sent, title: "a body of 300 KB", body: Buffer.from(body), timestamp, signature };
}

export const signedCases: readonly SignedCase[] = [
  ...recordedCases.map((one) => ({ ...one, body: Buffer.from(one.body) })),
  largeCase(),
  {
    ...sent,
    title: "a body with a byte that is no UTF-8",
    body: Buffer.from([...Buffer.from(sent.body), 0xff]),
    valid: false,
  },
];
