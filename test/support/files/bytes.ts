/** Bytes of a text in which each character is one byte. */
export const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
export const u16be = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
export const u32be = (value: number): Buffer =>
  Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
export const u16le = (value: number): Buffer => u16be(value).reverse();
export const u32le = (value: number): Buffer => u32be(value).reverse();

/** CRC-32 with the polynomial of Ogg: no reflection, no start value. */
export function oggCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}
