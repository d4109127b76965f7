// Each line: body, Svc-Timestamp, Svc-Signature, secret and now (unix seconds), in base64 with tabs between; "-" is a
// header that did not come. Answers a line each: true or false.
import { createInterface } from "node:readline";
import { verify } from "../../../docs/guides/receivers/verify.ts";

const read = (field) => Buffer.from(field, "base64");
for await (const line of createInterface({ input: process.stdin })) {
  const [body, timestamp, signature, secret, now] = line.split("\t");
  const headers = {};
  if (timestamp !== "-") headers["svc-timestamp"] = read(timestamp).toString();
  if (signature !== "-") headers["svc-signature"] = read(signature).toString();
  console.log(verify(read(body), headers, read(secret).toString(), Number(read(now)) * 1000));
}
