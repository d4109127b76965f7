import { fileTypeFromBuffer } from "file-type";
import { expect, test } from "vitest";
import { type ClosedType, closedTypeNames } from "#features/uploads/rules/media-types.ts";
import { startsAs } from "#features/uploads/rules/signatures.ts";
import { latin1 } from "../../../support/files/bytes.ts";
import { aac, gif, id3, isoMedia, jpeg, mediaFiles, ogg, oggTheora } from "../../../support/files/media-files.ts";

// Compares the table of signatures with the package file-type over mutated files of each closed type. A difference must
// be one of the list, with its argument.

interface Difference {
  readonly type: ClosedType;
  /** Who accepts the file as this type. */
  readonly accepted: "here" | "by file-type";
  readonly argument: string;
  readonly applies: (head: Buffer, mime: string | undefined) => boolean;
}

const brand = (head: Buffer) => head.toString("latin1", 4, 12);
const isBrand = (head: Buffer) => head.toString("latin1", 4, 8) === "ftyp";

const differences: readonly Difference[] = [
  {
    type: "image/png",
    accepted: "here",
    argument: "An animated PNG shows its first picture where animations are not supported.",
    applies: (_, mime) => mime === "image/apng",
  },
  {
    type: "image/png",
    accepted: "here",
    argument: "Chunks after the header are not read. The platform decodes the picture.",
    applies: (_, mime) => mime === undefined,
  },
  {
    type: "image/jpeg",
    accepted: "by file-type",
    argument: "A segment follows the start of image. Three bytes alone start any file.",
    applies: (head) => (head[3] ?? 0) < 0xc0 || head[3] === 0xff,
  },
  {
    type: "image/gif",
    accepted: "by file-type",
    argument: "GIF has two versions, 87a and 89a.",
    applies: (head) => !/^GIF8[79]a/.test(head.toString("latin1", 0, 6)),
  },
  ...(["video/mp4", "audio/mp4"] as const).map(
    (type): Difference => ({
      type,
      accepted: "by file-type",
      argument: "An unknown brand may be a picture or another container. No box of brands is larger than 64 KB.",
      applies: (head) =>
        isBrand(head) && (!/^ftyp(iso[m2-9]|mp4[12]|M4[ABV] )/.test(brand(head)) || head.readUInt16BE(0) > 0),
    }),
  ),
  {
    type: "video/quicktime",
    accepted: "by file-type",
    argument:
      "The size of the first box is larger than any accepted file, as it is of a text, or the box of brands is.",
    applies: (head) => {
      const size = head.readUInt32BE(0);
      return size > 25 * 2 ** 20 || (size > 1 && size < 8) || (isBrand(head) && head.readUInt16BE(0) > 0);
    },
  },
  {
    type: "video/quicktime",
    accepted: "by file-type",
    argument: "The brand of QuickTime is filled up with spaces.",
    applies: (head) => isBrand(head) && head.toString("latin1", 8, 12) !== "qt  ",
  },
  {
    type: "video/webm",
    accepted: "by file-type",
    argument: "An id or a length that starts with a zero has more than eight bytes, which EBML does not allow.",
    applies: (head) => head.subarray(4, 48).includes(0),
  },
  {
    type: "video/x-msvideo",
    accepted: "by file-type",
    argument: "The name of the form has four characters, the last one a space.",
    applies: (head) => head.toString("latin1", 8, 12) !== "AVI ",
  },
  {
    type: "video/ogg",
    accepted: "here",
    argument: "The stream of the video is not always the first one. Its first page is read here.",
    applies: (_, mime) => mime === "application/ogg" || mime?.startsWith("audio/ogg") === true,
  },
  {
    type: "video/ogg",
    accepted: "by file-type",
    argument: "The page has another version, is no first page of a stream, or its packet starts elsewhere.",
    applies: (head) => head[4] !== 0 || ((head[5] ?? 0) & 2) === 0 || head[26] !== 1,
  },
  {
    type: "audio/aac",
    accepted: "by file-type",
    argument: "Two bytes alone start any file: the frame has a length and a rate, and another frame follows.",
    applies: (head) => {
      const first = head.toString("latin1", 0, 3) === "ID3" ? 10 + (head[8] ?? 0) * 128 + (head[9] ?? 0) : 0;
      const [, , , high = 0, middle = 0, low = 0] = head.subarray(first);
      const length = ((high & 3) << 11) | (middle << 3) | (low >> 5);
      // The sync word of a frame, and a sampling rate of the table.
      const isFrame = (at: number) =>
        head[at] === 0xff && ((head[at + 1] ?? 0) & 0xf6) === 0xf0 && (((head[at + 2] ?? 0) >> 2) & 15) <= 12;
      return !isFrame(first) || length < 7 || !isFrame(first + length);
    },
  },
  {
    type: "application/pdf",
    accepted: "by file-type",
    argument: "The version follows after a hyphen.",
    applies: (head) => !head.toString("latin1", 0, 5).endsWith("-"),
  },
];

/** The closed types of a name that file-type gives. It names one type for both kinds of ISO media. */
function closedTypes(mime: string | undefined): readonly ClosedType[] {
  const names: Readonly<Record<string, readonly ClosedType[]>> = {
    "video/mp4": ["video/mp4", "audio/mp4"],
    "video/x-m4v": ["video/mp4"],
    "audio/x-m4a": ["audio/mp4"],
    "video/vnd.avi": ["video/x-msvideo"],
  };
  return names[mime ?? ""] ?? closedTypeNames.filter((name) => name === mime);
}

/** xorshift32, so that each run reads the same files. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const starts = [
  ...Object.values(mediaFiles).map((file) => file()),
  ...["heic", "avif", "3gp4", "M4V ", "qt  "].map((name) => isoMedia(name, "vide")),
  jpeg(),
  gif("GIF87a"),
  aac(0xf9),
  Buffer.concat([id3(40), aac()]),
  ogg([oggTheora]),
  latin1("a line of text\n".repeat(9)),
];

type Random = (below: number) => number;
const mutations: readonly ((file: Buffer, next: Random) => Buffer)[] = [
  (file) => file,
  // A byte of the signature, or of what follows it.
  (file, next) => withByte(file, next(16), next(256)),
  (file, next) => withByte(file, next(64), next(256)),
  (file, next) => withByte(withByte(file, next(16), next(256)), next(16), next(256)),
  (file, next) => withByte(file, next(file.length), next(256)),
  // A bit.
  (file, next) => {
    const at = next(24);
    return withByte(file, at, (file[at] ?? 0) ^ (1 << next(8)));
  },
  // Something before it, something missing at its start or its end.
  (file, next) => Buffer.concat([Buffer.alloc(1 + next(8), next(256)), file]),
  (file, next) => file.subarray(1 + next(8)),
  (file, next) => file.subarray(0, next(file.length)),
  // The start of another file.
  (file, next) => {
    const length = 1 + next(32);
    return Buffer.concat([(starts[next(starts.length)] ?? file).subarray(0, length), file.subarray(length)]);
  },
];

function withByte(file: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = value;
  return copy;
}

test.each(closedTypeNames)("signatures of %s agree with file-type, or the difference is argued", async (type) => {
  const next = random(closedTypeNames.indexOf(type) + 1);
  const unexplained: string[] = [];
  for (let round = 0; round < 1_000; round++) {
    const mutate = mutations[round % mutations.length] ?? mutations[0];
    const head = mutate?.(mediaFiles[type](), next).subarray(0, 4_100) ?? Buffer.alloc(0);
    const mime = (await fileTypeFromBuffer(head))?.mime;
    for (const name of closedTypeNames) {
      const here = startsAs(name, head);
      if (here === closedTypes(mime).includes(name)) continue;
      const isArgued = differences.some(
        ({ type: of, accepted, applies }) => of === name && (accepted === "here") === here && applies(head, mime),
      );
      if (!isArgued)
        unexplained.push(`${name} ${here ? "here" : "there"}, file-type: ${mime} ${head.toString("hex", 0, 64)}`);
    }
  }
  expect(unexplained).toEqual([]);
});
