import { crc32 } from "node:zlib";
import { latin1, u16le, u32le } from "./bytes.ts";

/** A ZIP file whose entries are stored without compression. */
export function zip(entries: Readonly<Record<string, Buffer | string>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const data = Buffer.from(content);
    const sizes = Buffer.concat([u32le(crc32(data)), u32le(data.length), u32le(data.length)]);
    const about = Buffer.concat([u16le(20), u16le(0), u16le(0), u32le(0), sizes, u16le(name.length), u16le(0)]);
    const file = Buffer.concat([latin1("PK\x03\x04"), about, latin1(name), data]);
    directory.push(
      Buffer.concat([latin1("PK\x01\x02"), u16le(20), about, Buffer.alloc(10), u32le(offset), latin1(name)]),
    );
    files.push(file);
    offset += file.length;
  }
  const count = u16le(files.length);
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.concat([
    latin1("PK\x05\x06"),
    Buffer.alloc(4),
    count,
    count,
    u32le(size),
    u32le(offset),
    u16le(0),
  ]);
  return Buffer.concat([...files, ...directory, end]);
}

/** A document of Office Open XML. @param folder `word` or `xl` @param further entries, such as macros */
export function officeFile(folder: string, further: Readonly<Record<string, string>> = {}): Buffer {
  return zip({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": "<Relationships/>",
    [`${folder}/a.xml`]: "<a/>",
    ...further,
  });
}

/** The container of old office files and of Windows installers. @param rootClass of its root entry, in hex */
export function compoundFile(rootClass = "00".repeat(16)): Buffer {
  const file = Buffer.alloc(4 * 512);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
  file.writeUInt16LE(0x3e, 24);
  file.writeUInt16LE(3, 26);
  file.writeUInt16LE(0xfffe, 28);
  file.writeUInt16LE(9, 30);
  // The directory is in sector 2, after the header and sectors 0 and 1.
  file.writeUInt32LE(2, 48);
  const root = 3 * 512;
  Buffer.from("Root Entry", "utf16le").copy(file, root);
  Buffer.from(rootClass, "hex").copy(file, root + 80);
  return file;
}
