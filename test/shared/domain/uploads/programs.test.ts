import { describe, expect, test } from "vitest";
import { hasProgramName, isProgramType, startsAsProgram } from "../../../../shared/domain/uploads/programs.ts";
import { compoundFile, zip } from "../../../support/files/archive-files.ts";
import { latin1, u32le } from "../../../support/files/bytes.ts";

describe("a name", () => {
  test.each([
    ..."exe dll msi com scr bat cmd ps1 vbs js jse wsf jar apk app dmg pkg deb rpm sh elf mach-o lnk hta iso".split(
      " ",
    ),
    ..."pif msp sys psm1 vbe mjs wsh cpl aab ipa bash zsh csh py rb pl php url desktop reg img vhd one xll".split(" "),
    ..."docm xlsm pptm html svg swf wasm".split(" "),
  ])("of a program: .%s", (extension) => {
    expect(hasProgramName(`a.${extension}`)).toBe(true);
    expect(hasProgramName(`a.pdf.${extension.toUpperCase()}`)).toBe(true);
    expect(hasProgramName(`a.${extension} . `)).toBe(true);
    expect(hasProgramName(`.${extension}`)).toBe(true);
    // Only the last extension counts.
    expect(hasProgramName(`a.${extension}.pdf`)).toBe(false);
    expect(hasProgramName(extension)).toBe(false);
  });

  test.each(
    "pdf png docx xlsx pptx doc xls odt txt csv zip gz 7z rar mp3 json xml md rtf eml ics vcf bin dat".split(" "),
  )("of no program: .%s", (extension) => {
    expect(hasProgramName(`a.${extension}`)).toBe(false);
  });
});

test.each([
  ["application/x-msdownload", true],
  ["application/vnd.microsoft.portable-executable", true],
  ["application/x-sh", true],
  ["text/javascript", true],
  ["application/javascript", true],
  ["text/html", true],
  ["application/xhtml+xml", true],
  ["image/svg+xml", true],
  ["application/hta", true],
  ["application/java-archive", true],
  ["application/octet-stream", false],
  ["text/plain", false],
  ["application/pdf", false],
  ["application/zip", false],
  ["application/json", false],
])("the content type %s is that of a program: %s", (contentType, expected) => {
  expect(isProgramType(contentType)).toBe(expected);
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

describe("a start", () => {
  test.each<[string, Buffer]>([
    ["DOS", latin1("MZ")],
    ["DOS, swapped", latin1("ZM\0")],
    ["ELF", latin1("\x7fELF")],
    ["Mach-O of 32 bits", latin1("\xfe\xed\xfa\xce")],
    ["Mach-O of 64 bits", latin1("\xfe\xed\xfa\xcf")],
    ["Mach-O of 32 bits, swapped", latin1("\xce\xfa\xed\xfe")],
    ["Mach-O of 64 bits, swapped", latin1("\xcf\xfa\xed\xfe")],
    ["Mach-O of several architectures", latin1("\xca\xfe\xba\xbe\0\0\0\x02")],
    ["Lua", latin1("\x1bLua")],
    ["LLVM", latin1("BC\xc0\xde")],
    ["a virtual disk", latin1("conectix")],
    ["a macOS disk image", latin1("x\x01s\rbb`")],
    ["compressed Flash", Buffer.concat([latin1("CWS\x0a"), u32le(25 * 2 ** 20)])],
    ["a Java archive without a manifest first", zip({ "META-INF/": "" })],
    ["an installer", compoundFile("84100c0000000000c000000000000046")],
    ["a shell script", latin1("#!/bin/sh")],
    ["a shell script after spaces", latin1(" \t\r\n#!/bin/sh")],
    ["a script in UTF-8 with a mark", Buffer.from("\ufeff#!/bin/sh")],
    ["a script in UTF-16", utf16("#!/bin/sh")],
    ["a script in UTF-16, big-endian", utf16("#!/bin/sh").swap16()],
    ["a script in UTF-16, big-endian, with an odd byte", Buffer.concat([utf16("#!/bin/sh").swap16(), Buffer.alloc(1)])],
    ["PHP with short tags", latin1("<?= 1 ?>")],
    ["ASP", latin1("<% a %>")],
    ["a script element", latin1("<SCRIPT src=a>")],
    ["a page after a declaration", latin1('<?xml version="1.0"?><html>')],
    ["a page after comments", latin1("<!-- a --><!-->\n<!---->\n<html>")],
    ["a page by its document type", latin1("<!DOCTYPE\n html PUBLIC>")],
    ["a picture by its document type", latin1('<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC>')],
    ["a batch file", latin1("@echo off")],
    ["old registry settings", latin1("REGEDIT4\r\n")],
  ])("of a program: %s", (_, head) => {
    expect(startsAsProgram(head)).toBe(true);
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["one byte", latin1("M")],
    ["zeros", Buffer.alloc(4_100)],
    ["a text", latin1("Dear Ann,")],
    ["a text with a script later", latin1("Use <script> and #!/bin/sh, or MZ")],
    ["a text that starts like Flash", latin1("FWS means forward")],
    ["XML", latin1('<?xml version="1.0"?><invoice/>')],
    ["XML whose declaration never ends", latin1('<?xml version="1.0" <html>')],
    ["a comment that never ends", latin1("<!-- <html>")],
    ["another document type", latin1("<!DOCTYPE note>")],
    ["Markdown", latin1("# Title")],
    ["a byte order mark alone", latin1("\xfe\xff")],
    ["an archive", zip({ "META-INFO.txt": "a" })],
    ["an old office file", compoundFile()],
    ["the start of an old office file", compoundFile().subarray(0, 100)],
    ["an old office file with an impossible sector", impossibleSector()],
    ["a PDF", latin1("%PDF-1.7")],
    ["a PNG", latin1("\x89PNG\r\n\x1a\n")],
  ])("of no program: %s", (_, head) => {
    expect(startsAsProgram(head)).toBe(false);
  });

  test("is read in milliseconds, also where it is made to be slow", () => {
    const start = performance.now();
    for (const part of ["<!---->", "<?xml?>", " ", "<!doctype ", "<!--", "\n\t"]) {
      expect(startsAsProgram(latin1(part.repeat(4_100)).subarray(0, 4_100))).toBe(false);
    }
    expect(performance.now() - start).toBeLessThan(500);
  });
});

function impossibleSector(): Buffer {
  const file = compoundFile();
  file.writeUInt16LE(0xffff, 30);
  file.writeUInt32LE(0xffffffff, 48);
  return file;
}
