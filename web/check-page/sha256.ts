// SHA-256 for the search of a nonce: synchronous, over one salt followed by changing digits, and only the first word of
// the digest, because a target has at most eight hex characters. WebCrypto is asynchronous and several times slower here.

const K = Int32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
const H = Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;

/** The hash state after all full blocks, and the bytes that do not fill a block. */
export interface Prefix {
  readonly state: Int32Array;
  readonly rest: Uint8Array;
  readonly length: number;
}

/** Hashes the full blocks of a salt once. */
export function hashPrefix(ascii: string): Prefix {
  const bytes = Uint8Array.from(ascii, (char) => char.charCodeAt(0));
  const state = H.slice();
  let at = 0;
  for (; at + BLOCK <= bytes.length; at += BLOCK) compress(state, bytes, at);
  return { state, rest: bytes.slice(at), length: bytes.length };
}

/** Returns a function for the first 32 bits of SHA-256(prefix + digits), with ASCII digits in a buffer. */
export function firstWordAfter(prefix: Prefix): (digits: Uint8Array, count: number) => number {
  const tail = new Uint8Array(2 * BLOCK);
  const view = new DataView(tail.buffer);
  const state = new Int32Array(8);
  const start = prefix.rest.length;
  tail.set(prefix.rest);
  return (digits, count) => {
    const end = start + count;
    // The padding starts with a 1 bit, and the last eight bytes of the last block hold the length.
    const size = end + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    tail.fill(0, start, size);
    for (let i = 0; i < count; i++) tail[start + i] = digits[i] ?? 0;
    tail[end] = 0x80;
    view.setUint32(size - 4, (prefix.length + count) * 8);
    state.set(prefix.state);
    compress(state, tail, 0);
    if (size > BLOCK) compress(state, tail, BLOCK);
    return (state[0] ?? 0) >>> 0;
  };
}

const w = new Int32Array(64);

function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const j = at + i * 4;
    w[i] =
      ((bytes[j] as number) << 24) |
      ((bytes[j + 1] as number) << 16) |
      ((bytes[j + 2] as number) << 8) |
      (bytes[j + 3] as number);
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (s0 + s1 + (w[i - 7] as number) + (w[i - 16] as number)) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  add(state, [a, b, c, d, e, f, g, h]);
}

function add(state: Int32Array, words: readonly number[]): void {
  for (let i = 0; i < 8; i++) state[i] = ((state[i] as number) + (words[i] as number)) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

/** The first 32 bits of the fraction of a root: SHA-256 derives its constants from them. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}
