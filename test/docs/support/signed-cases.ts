import { sign } from "../../../shared/domain/delivery/signatures.ts";
import { hmacSha256 } from "../../../shared/kernel/bytes.ts";

/** What a receiver is handed, and whether it is to take it. A header that is null did not come. */
export interface SignedCase {
  readonly title: string;
  readonly body: Uint8Array;
  readonly timestamp: string | null;
  readonly signature: string | null;
  readonly secret: string;
  /** The receiver's clock, in unix seconds. */
  readonly now: number;
  readonly genuine: boolean;
}

export const SECRET = `whs_${Buffer.alloc(32, 251).toString("base64")}`;
const OTHER = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const NOW = Date.UTC(2026, 10, 21, 15, 12, 34) / 1_000;
const BODY = JSON.stringify({ id: "evt_01M7ZAN532DXZZ1TKP6RZ0YEPG", type: "message.received", data: { n: 1 } });

type Change = Partial<Omit<SignedCase, "title" | "genuine">>;

/** A delivery as the service signs it, then changed. */
function delivery(title: string, genuine: boolean, change: Change = {}, body = BODY, secrets = [SECRET]): SignedCase {
  const headers = sign(secrets, "evt_1", body, NOW * 1_000);
  return {
    title,
    body: Buffer.from(body),
    timestamp: headers["svc-timestamp"],
    signature: headers["svc-signature"],
    secret: SECRET,
    now: NOW,
    genuine,
    ...change,
  };
}

const good = delivery("", true).signature ?? "";

/** The service never signs over these: whoever has the secret may, and the shape alone must be reason enough. */
function oddTimestamp(timestamp: string): SignedCase {
  const signature = `v1=${hmacSha256(SECRET, `${timestamp}.${BODY}`).toString("hex")}`;
  return delivery(`the timestamp ${JSON.stringify(timestamp)}, rightly signed`, false, { timestamp, signature });
}

function oddSignature(signature: string): SignedCase {
  return delivery(`the signature ${JSON.stringify(signature)}`, false, { signature });
}

export const cases: readonly SignedCase[] = [
  delivery("a delivery as it is sent", true),
  delivery("an empty body", true, {}, ""),
  delivery("a body in many scripts", true, {}, '{"text":"Grüße, 你好 👩🏽‍🚀 \u2028 مرحبا \0"}'),
  delivery("a body with blanks and line breaks", true, {}, '\r\n { "id" : 1 }\n\n'),
  delivery("a body of 300 KB", true, {}, JSON.stringify({ text: "ж".repeat(150_000) })),
  delivery("two digests, the second one's secret", true, {}, BODY, [OTHER, SECRET]),
  delivery("two digests, the first one's secret", true, {}, BODY, [SECRET, OTHER]),
  delivery("two digests with a blank between", true, { signature: `v1=${"0".repeat(64)}, ${good}` }),
  delivery("a digest of a later version beside it", true, { signature: `v2=abc,${good}` }),
  ...[299, 300].flatMap((seconds) => [
    delivery(`${seconds} s old`, true, { now: NOW + seconds }),
    delivery(`${seconds} s in the future`, true, { now: NOW - seconds }),
  ]),
  ...[301, 86_400].flatMap((seconds) => [
    delivery(`${seconds} s old`, false, { now: NOW + seconds }),
    delivery(`${seconds} s in the future`, false, { now: NOW - seconds }),
  ]),

  delivery("a changed body", false, { body: Buffer.from(BODY.replace("1}", "2}")) }),
  delivery("a body with a blank more", false, { body: Buffer.from(`${BODY} `) }),
  delivery("a body with a byte that is no UTF-8", false, { body: Buffer.from([...Buffer.from(BODY), 0xff]) }),
  delivery("no body for one that was signed", false, { body: Buffer.alloc(0) }),
  delivery("another secret", false, { secret: OTHER }),
  delivery("the secret without its prefix", false, { secret: SECRET.slice(4) }),
  delivery("two digests, neither of this secret", false, {}, BODY, [OTHER, `${OTHER}=`]),
  delivery("the timestamp of another delivery", false, { timestamp: String(NOW - 1) }),
  delivery("no signature", false, { signature: null }),
  delivery("no timestamp", false, { timestamp: null }),
  delivery("neither", false, { timestamp: null, signature: null }),

  ...["", ",", "v1", "v1=", "v1=,v1=", "v1=ü€", "v1=zz", good.slice(3), good.replace("v1", "v2")].map(oddSignature),
  ...[good.slice(0, -1), `${good}0`, `${good};${good}`, `${good} ${good}`, `v1=${good}`].map(oddSignature),
  oddSignature(sign([SECRET], "evt_1", BODY, NOW * 1_000)["webhook-signature"]),
  ...["", "soon", "NaN", `${NOW}.0`, `+${NOW}`, ` ${NOW}`, `${NOW}\n`, `${NOW} s`, "1e9"].map(oddTimestamp),
  ...["-1", `0x${NOW.toString(16)}`, `${NOW}000`, "9".repeat(30), "１７９５２７３９５４"].map(oddTimestamp),
];
