import type { PlantedFault } from "../../planted-fault.ts";

const checksTest = "test/features/uploads/rules/checks.test.ts";
const signaturesTest = "test/features/uploads/rules/signatures.test.ts";
const fileNamesTest = "test/features/uploads/rules/file-names.test.ts";
const programsTest = "test/features/uploads/rules/programs.test.ts";
const uploadsTest = "test/features/uploads/rules/uploads.test.ts";

export const uploadRuleFaults: readonly PlantedFault[] = [
  {
    name: "the start of a posted file is not compared with those of programs",
    file: "shared/features/uploads/rules/checks.ts",
    search: "if (startsAsProgram(head)) return refuseProgram();",
    replacement: "",
    killedBy: {
      file: checksTest,
      title: "a posted file of another type may start as any type on Messenger, but no file as a program",
    },
  },
  {
    name: "a picture that is sent as a file may be anything",
    file: "shared/features/uploads/rules/checks.ts",
    search: "isClosedType(contentType) && typeByBytes",
    replacement: 'type !== "file" && isClosedType(contentType) && typeByBytes',
    killedBy: { file: checksTest, title: "a posted picture as a file must still be what it claims on Messenger" },
  },
  {
    name: "a program is recognized by its first extension",
    file: "shared/features/uploads/rules/file-names.ts",
    search: 'name.lastIndexOf(".")',
    replacement: 'name.indexOf(".")',
    killedBy: {
      file: checksTest,
      title: "a declared file is refused by its name on each connection if that is of a program",
    },
  },
  {
    name: "the end of a name is in the URL that the platform gets",
    file: "shared/features/uploads/rules/file-names.ts",
    search: "commonExtensions.has(extension)",
    replacement: "/^[a-z0-9]{1,8}$/.test(extension)",
    killedBy: { file: fileNamesTest, title: "the name of the copy of %s named %j is %s" },
  },
  {
    name: "a script in big-endian UTF-16 is not read",
    file: "shared/features/uploads/rules/program-texts.ts",
    search: 'mark.startsWith("feff")',
    replacement: "false",
    killedBy: { file: programsTest, title: "a start is that of a program: %s" },
  },
  {
    name: "a Matroska file passes as WebM",
    file: "shared/features/uploads/rules/signatures.ts",
    search: 'ebmlDocType(head) === "webm"',
    replacement: "ebmlDocType(head) !== null",
    killedBy: { file: signaturesTest, title: "a refused relative is of no accepted type: %s" },
  },
  {
    name: "a sound passes as a video",
    file: "shared/features/uploads/rules/signatures.ts",
    search: '"video/mp4": "video/quicktime",',
    replacement: '"video/mp4": "audio/mp4",',
    killedBy: { file: signaturesTest, title: "the bytes of a file do not turn %s into the kind of the brand %s" },
  },
  {
    name: "two bytes make an AAC file",
    file: "shared/features/uploads/rules/signatures.ts",
    search: "if (second + 7 <= head.length) return adtsFrameLength(head, second) !== null;",
    replacement: "if (second + 7 <= head.length) return true;",
    killedBy: { file: signaturesTest, title: "a refused relative is of no accepted type: %s" },
  },
  {
    name: "a call begins until the time is over",
    file: "shared/features/uploads/rules/uploads.ts",
    search: "UPLOAD_PROCESSING_MAX - CALL_RESERVE",
    replacement: "UPLOAD_PROCESSING_MAX",
    killedBy: {
      file: uploadsTest,
      title: "processing of an upload counts as failed from 5 minutes on, and no call begins in the 10 seconds before",
    },
  },
  {
    name: "a purge of uploads deletes only what has ended, and the next one is too late",
    file: "shared/features/uploads/rules/uploads.ts",
    search: "now + PURGE_DELAY_MAX - UPLOAD_STORED_MAX + HOUR",
    replacement: "now - UPLOAD_STORED_MAX",
    killedBy: {
      file: uploadsTest,
      title: "an hour's files are purged from 22:55 after its start, so none is a day old when the next purge runs",
    },
  },
];
