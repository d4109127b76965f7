import { hmacSha256 } from "#base/kernel/bytes.ts";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";

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

export const SECRET = `whs_${Buffer.alloc(32, 251).toString("base64")}`;
const OTHER_SECRET = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const NOW = Date.UTC(2026, 10, 21, 15, 12, 34) / 1_000;
const BODY = JSON.stringify({ id: "evt_01M7ZAN532DXZZ1TKP6RZ0YEPG", type: "message.received", data: { n: 1 } });

type Overrides = Partial<Omit<SignedCase, "title" | "valid">>;

/** A delivery as the service signs it, then changed. */
function signedCase(
  title: string,
  valid: boolean,
  overrides: Overrides = {},
  body = BODY,
  secrets = [SECRET],
): SignedCase {
  const headers = signWebhook(secrets, "evt_1", body, NOW * 1_000);
  return {
    title,
    body: Buffer.from(body),
    timestamp: headers["svc-timestamp"],
    signature: headers["svc-signature"],
    secret: SECRET,
    now: NOW,
    valid,
    ...overrides,
  };
}

const validSignature = signedCase("", true).signature ?? "";

/** The service never signs these. Someone with the secret could, so the format alone must be a reason to reject. */
function badTimestamp(timestamp: string): SignedCase {
  const signature = `v1=${hmacSha256(SECRET, `${timestamp}.${BODY}`).toString("hex")}`;
  return signedCase(`the timestamp ${JSON.stringify(timestamp)}, correctly signed`, false, { timestamp, signature });
}

function badSignature(signature: string): SignedCase {
  return signedCase(`the signature ${JSON.stringify(signature)}`, false, { signature });
}

export const signedCases: readonly SignedCase[] = [
  signedCase("a delivery as it is sent", true),
  signedCase("an empty body", true, {}, ""),
  signedCase("a body in many scripts", true, {}, '{"text":"Grüße, 你好 👩🏽‍🚀 \u2028 مرحبا \0"}'),
  signedCase("a body with blanks and line breaks", true, {}, '\r\n { "id" : 1 }\n\n'),
  signedCase("a body of 300 KB", true, {}, JSON.stringify({ text: "ж".repeat(150_000) })),
  signedCase("two digests, the second one's secret", true, {}, BODY, [OTHER_SECRET, SECRET]),
  signedCase("two digests, the first one's secret", true, {}, BODY, [SECRET, OTHER_SECRET]),
  signedCase("two digests with a blank between", true, { signature: `v1=${"0".repeat(64)}, ${validSignature}` }),
  signedCase("a digest of a later version beside it", true, { signature: `v2=abc,${validSignature}` }),
  ...[299, 300].flatMap((seconds) => [
    signedCase(`${seconds} s old`, true, { now: NOW + seconds }),
    signedCase(`${seconds} s in the future`, true, { now: NOW - seconds }),
  ]),
  ...[301, 86_400].flatMap((seconds) => [
    signedCase(`${seconds} s old`, false, { now: NOW + seconds }),
    signedCase(`${seconds} s in the future`, false, { now: NOW - seconds }),
  ]),

  signedCase("a changed body", false, { body: Buffer.from(BODY.replace("1}", "2}")) }),
  signedCase("a body with a blank more", false, { body: Buffer.from(`${BODY} `) }),
  signedCase("a body with a byte that is no UTF-8", false, { body: Buffer.from([...Buffer.from(BODY), 0xff]) }),
  signedCase("no body for one that was signed", false, { body: Buffer.alloc(0) }),
  signedCase("another secret", false, { secret: OTHER_SECRET }),
  signedCase("the secret without its prefix", false, { secret: SECRET.slice(4) }),
  signedCase("two digests, neither of this secret", false, {}, BODY, [OTHER_SECRET, `${OTHER_SECRET}=`]),
  signedCase("the timestamp of another delivery", false, { timestamp: String(NOW - 1) }),
  signedCase("no signature", false, { signature: null }),
  signedCase("no timestamp", false, { timestamp: null }),
  signedCase("neither", false, { timestamp: null, signature: null }),

  ...[
    "",
    ",",
    "v1",
    "v1=",
    "v1=,v1=",
    "v1=ü€",
    "v1=zz",
    validSignature.slice(3),
    validSignature.replace("v1", "v2"),
  ].map(badSignature),
  ...[
    validSignature.slice(0, -1),
    `${validSignature}0`,
    `${validSignature};${validSignature}`,
    `${validSignature} ${validSignature}`,
    `v1=${validSignature}`,
  ].map(badSignature),
  badSignature(signWebhook([SECRET], "evt_1", BODY, NOW * 1_000)["webhook-signature"]),
  ...["", "soon", "NaN", `${NOW}.0`, `+${NOW}`, ` ${NOW}`, `${NOW}\n`, `${NOW} s`, "1e9"].map(badTimestamp),
  ...["-1", `0x${NOW.toString(16)}`, `${NOW}000`, "9".repeat(30), "１７９５２７３９５４"].map(badTimestamp),
];
