import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** Makes every random value of this process the same in each run. Ids stay different from each other. */
export function useSteadyRandomness(): void {
  let drawn = 0;
  const draw = (bytes: number): Buffer => {
    const blocks = Math.ceil(bytes / 32);
    const digests = Array.from({ length: blocks }, () => crypto.createHash("sha256").update(`${drawn++}`).digest());
    return Buffer.concat(digests).subarray(0, bytes);
  };
  const fill = <T extends ArrayBufferView | null>(view: T): T => {
    if (view) new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(draw(view.byteLength));
    return view;
  };
  const uuid = () =>
    draw(16)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  Object.assign(crypto, { randomBytes: draw, randomUUID: uuid });
  Object.assign(crypto.webcrypto, { getRandomValues: fill, randomUUID: uuid });
  syncBuiltinESMExports();
  Math.random = () => draw(4).readUInt32BE() / 2 ** 32;
}
