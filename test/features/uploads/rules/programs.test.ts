import { expect, test } from "vitest";
import { hasProgramName, isProgramType, startsAsProgram } from "#features/uploads/rules/programs.ts";
import { compoundFile, zip } from "../../../support/files/archive-files.ts";
import { latin1, u32le } from "../../../support/files/bytes.ts";

test.each(
  [
    "exe com scr pif cpl dll ocx sys drv msi msp mst msix msixbundle appx appxbundle appref-ms application gadget hlp chm",
    "lnk url reg inf scf msc job library-ms searchconnector-ms settingcontent-ms",
    "bat cmd btm ps1 ps1xml psm1 psd1 psc1 vb vbs vbe js mjs cjs jse ws wsf wsh wsc sct hta sh bash zsh csh ksh fish",
    "command workflow scpt applescript py pyc pyo pyw pyz pl pm rb php phar phtml lua tcl awk asp aspx jsp",
    "jar class war ear jnlp apk aab ipa app dmg pkg mpkg deb rpm snap flatpak appimage run elf so dylib ko mach-o",
    "wasm dex desktop crx xpi swf cab",
    "iso img vhd vhdx vmdk",
    "htm html xhtml xht shtml mht mhtml svg svgz",
    "docm dotm xlsm xltm xlam xll pptm potm ppsm ppam sldm accde mde one onepkg",
  ].flatMap((names) => names.split(" ")),
)("a name is that of a program: .%s", (extension) => {
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
)("a name is that of no program: .%s", (extension) => {
  expect(hasProgramName(`a.${extension}`)).toBe(false);
});

test.each(
  [
    ["application", "bat com dos-exe ecmascript exe hta java java-archive java-vm javascript msdos-windows"],
    ["application", "vnd.android.package-archive vnd.apple.installer+xml vnd.debian.binary-package"],
    [
      "application",
      "vnd.microsoft.portable-executable vnd.ms-cab-compressed vnd.ms-htmlhelp wasm x-apple-diskimage x-bat",
    ],
    ["application", "x-csh x-debian-package x-deb x-desktop x-dosexec x-elf x-executable x-hta x-httpd-php"],
    ["application", "x-iso9660-image x-java-applet x-java-archive x-javascript x-mach-binary x-ms-dos-executable"],
    [
      "application",
      "x-ms-installer x-ms-shortcut x-msdos-program x-msdownload x-msi x-perl x-php x-powershell x-python",
    ],
    ["application", "x-python-code x-redhat-package-manager x-rpm x-ruby x-sh x-shar x-sharedlib x-shellscript"],
    ["application", "x-shockwave-flash x-vbs x-winexe xhtml+xml vnd.ms-word.document.macroenabled.12"],
    ["application", "vnd.ms-word.template.macroenabled.12 vnd.ms-excel.sheet.macroenabled.12"],
    ["application", "vnd.ms-excel.addin.macroenabled.12 vnd.ms-excel.sheet.binary.macroenabled.12"],
    ["application", "vnd.ms-powerpoint.presentation.macroenabled.12"],
    ["image", "svg+xml"],
    ["text", "ecmascript html javascript jscript php vbs vbscript x-msdos-batch x-perl x-php x-powershell x-python"],
    ["text", "x-ruby x-script.python x-sh x-shellscript"],
  ].flatMap(([kind = "", names = ""]) => names.split(" ").map((name) => `${kind}/${name}`)),
)("the content type %s is that of a program", (contentType) => {
  expect(isProgramType(contentType)).toBe(true);
});

test.each([
  "application/octet-stream",
  "text/plain",
  "application/pdf",
  "application/zip",
  "application/json",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/x-macroenabledish",
])("the content type %s is that of no program", (contentType) => {
  expect(isProgramType(contentType)).toBe(false);
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

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
  ["a page in UTF-16 without a mark", Buffer.from("\r\n<html>", "utf16le")],
  ["a page in UTF-16 without a mark, big-endian", Buffer.from("<html>", "utf16le").swap16()],
  ["a script in UTF-16 without a mark, with an odd byte", Buffer.from("\0#\0!\0/\0")],
  ["a page by its head", latin1("<head><script>")],
  ["a page by its body", latin1("<BODY onload=a>")],
  ["a page by a frame", latin1("<iframe\nsrc=a>")],
  ["a page by its metadata", latin1("<meta http-equiv=refresh>")],
  ["a page by its title", latin1("<title>a</title>")],
  ["PHP with short tags", latin1("<?= 1 ?>")],
  ["ASP", latin1("<% a %>")],
  ["a script element", latin1("<SCRIPT src=a>")],
  ["a page after a declaration", latin1('<?xml version="1.0"?><html>')],
  ["a page after comments", latin1("<!-- a --><!-->\n<!---->\n<html>")],
  ["a page by its document type", latin1("<!DOCTYPE\n html PUBLIC>")],
  ["a picture by its document type", latin1('<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC>')],
  ["a batch file", latin1("@echo off")],
  ["old registry settings", latin1("REGEDIT4\r\n")],
])("a start is that of a program: %s", (_, head) => {
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
  ["XML whose root is named like an element of a page", latin1('<?xml version="1.0"?><metadata/><header/>')],
  ["a header of XML", latin1("<header/>")],
  ["Markdown", latin1("# Title")],
  ["a byte order mark alone", latin1("\xfe\xff")],
  ["an archive", zip({ "META-INFO.txt": "a" })],
  ["an old office file", compoundFile()],
  ["the start of an old office file", compoundFile().subarray(0, 100)],
  ["an old office file with an impossible sector", impossibleSector()],
  ["a PDF", latin1("%PDF-1.7")],
  ["a PNG", latin1("\x89PNG\r\n\x1a\n")],
])("a start is that of no program: %s", (_, head) => {
  expect(startsAsProgram(head)).toBe(false);
});

test("a start is read in milliseconds, also where it is made to be slow", () => {
  const start = performance.now();
  for (const part of ["<!---->", "<?xml?>", " ", "<!doctype ", "<!--", "\n\t"]) {
    expect(startsAsProgram(latin1(part.repeat(4_100)).subarray(0, 4_100))).toBe(false);
  }
  expect(performance.now() - start).toBeLessThan(500);
});

function impossibleSector(): Buffer {
  const file = compoundFile();
  file.writeUInt16LE(0xffff, 30);
  file.writeUInt32LE(0xffffffff, 48);
  return file;
}
