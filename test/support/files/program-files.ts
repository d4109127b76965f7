import { gzipSync } from "node:zlib";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import { compoundFile, officeFile, zip } from "./archive-files.ts";
import { latin1, u32le } from "./bytes.ts";
import { gif, jpeg, jpegSegment, type MediaFileType, mediaFiles } from "./media-files.ts";

// Programs, scripts, archives, office files, and files that are valid in two formats. None of them does anything.

export interface CorpusFile {
  /** As the guide names it. */
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** On Messenger. Default: it follows from the content type. */
  readonly type?: MediaType;
  /** What it claims to be on Instagram. Default: a PDF. */
  readonly claim?: MediaFileType;
}

const text = (content: string) => Buffer.from(content);
/** UTF-16 with a byte order mark. */
const utf16 = (content: string) => Buffer.from(`\ufeff${content}`, "utf16le");
const utf16be = (content: string) => utf16(content).swap16();

function windowsProgram(): Buffer {
  const file = Buffer.alloc(512);
  latin1("MZ").copy(file);
  file.writeUInt32LE(128, 60);
  latin1("PE\0\0").copy(file, 128);
  return file;
}

export const corpus: readonly CorpusFile[] = [
  file("Windows program", "setup.exe", "application/x-msdownload", windowsProgram()),
  file("Windows installer (MSI)", "setup.msi", "application/x-msi", compoundFile("84100c0000000000c000000000000046")),
  file("Windows shortcut", "a.lnk", "application/x-ms-shortcut", latin1("L\0\0\0\x01\x14\x02\0\0\0\0\0")),
  file("Windows cabinet", "a.cab", "application/vnd.ms-cab-compressed", latin1("MSCF\0\0\0\0\x2c\0\0\0")),
  file("Windows help with scripts (CHM)", "a.chm", "application/vnd.ms-htmlhelp", latin1("ITSF\x03\0\0\0")),
  file("Linux program (ELF)", "a.elf", "application/x-executable", latin1("\x7fELF\x02\x01\x01\0")),
  file("macOS program (Mach-O)", "a.mach-o", "application/x-mach-binary", latin1("\xcf\xfa\xed\xfe\x07\0\0\x01")),
  file("macOS package", "a.pkg", "application/vnd.apple.installer+xml", latin1("xar!\0\x1c\0\x01")),
  file("Debian package", "a.deb", "application/vnd.debian.binary-package", latin1("!<arch>\ndebian-binary")),
  file("RPM package", "a.rpm", "application/x-rpm", latin1("\xed\xab\xee\xdb\x03\0\0\0")),
  file("Java class", "A.class", "application/java-vm", latin1("\xca\xfe\xba\xbe\0\0\0\x34")),
  file(
    "Java archive",
    "a.jar",
    "application/java-archive",
    zip({ "META-INF/MANIFEST.MF": "Main-Class: A", "A.class": "" }),
  ),
  file(
    "Android package",
    "a.apk",
    "application/vnd.android.package-archive",
    zip({ "AndroidManifest.xml": "", "classes.dex": "" }),
  ),
  file("Android code", "a.dex", "application/octet-stream", latin1("dex\n035\0")),
  file("WebAssembly", "a.wasm", "application/wasm", latin1("\0asm\x01\0\0\0")),
  file("Browser extension", "a.crx", "application/octet-stream", latin1("Cr24\x03\0\0\0")),
  file("Flash movie", "a.swf", "application/x-shockwave-flash", Buffer.concat([latin1("FWS\x20"), u32le(4_096)])),
  file("Shell script", "a.sh", "application/x-sh", text("#!/bin/sh\necho hello\n")),
  file("PHP script", "a.php", "application/x-httpd-php", text("\n<?php echo 1;")),
  file("Batch file with `@echo`", "a.bat", "application/x-bat", text("@ECHO OFF\r\n")),
  file("Batch file without", "a.cmd", "text/plain", text("rem hello\r\ndir\r\n")),
  file("PowerShell script", "a.ps1", "text/plain", utf16("Write-Host hello")),
  file("Visual Basic script", "a.vbs", "text/vbscript", text('MsgBox "hello"')),
  file("Encoded Windows script", "a.vbe", "application/octet-stream", text("#@~^FAAAAA==")),
  file("Windows script file", "a.wsf", "text/plain", text('<?xml version="1.0"?>\n<job id="a"></job>')),
  file("JavaScript file", "a.js", "text/javascript", text("alert(1)")),
  file("Python script", "a.py", "text/x-python", text("print(1)")),
  file("Web page", "a.html", "text/html", text("\n<!-- a -->\n<!DOCTYPE html><title>a</title>")),
  file("Web page in UTF-16", "a.htm", "text/html", utf16be("  <HTML><script>alert(1)</script>")),
  file(
    "Web page in UTF-16 without a mark",
    "b.htm",
    "text/html",
    Buffer.from("<html><script>alert(1)</script>", "utf16le"),
  ),
  file("Web page without `<html>`", "c.html", "text/html", text("<title>a</title><img src=a onerror=alert(1)>")),
  file("Web page that starts with another element", "d.html", "text/html", text("<p>a</p><script>alert(1)</script>")),
  file("Web page of Windows (HTA)", "a.hta", "application/hta", text("\ufeff<HTA:APPLICATION>")),
  file("SVG picture", "a.svg", "image/svg+xml", text('<?xml version="1.0"?>\n<!-- a -->\n<svg/>')),
  file("Registry settings", "a.reg", "text/plain", utf16("Windows Registry Editor Version 5.00\r\n")),
  file("Internet shortcut", "a.url", "text/plain", text("[InternetShortcut]\r\nURL=file:///a")),
  file("Desktop entry", "a.desktop", "application/x-desktop", text("[Desktop Entry]\nExec=a")),
  file("macOS disk image, compressed", "a.dmg", "application/x-apple-diskimage", latin1("x\x01s\rbb`\0")),
  file("macOS disk image, not compressed", "b.dmg", "application/x-apple-diskimage", latin1("ER\x02\0\0\0\0\0")),
  file("Disk image (ISO)", "a.iso", "application/x-iso9660-image", Buffer.alloc(4_100)),
  file(
    "Test file of virus scanners",
    "eicar.com",
    "application/x-msdos-program",
    text("X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD"),
  ),
  file("OneNote section", "a.one", "application/msonenote", Buffer.from("e4525c7b8cd8a74daeb15378d02996d3", "hex")),
  file(
    "Office file for macros",
    "a.docm",
    "application/vnd.ms-word.document.macroenabled.12",
    officeFile("word", { "word/vbaProject.bin": "" }),
  ),
  file("Program in a PDF's name", "report.pdf", "application/pdf", windowsProgram()),
  file("PDF in a program's name", "report.pdf.exe", "application/pdf", mediaFiles["application/pdf"]()),
  file(
    "Office file",
    "a.docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    officeFile("word"),
  ),
  file(
    "Office file with hidden macros",
    "a.xlsx",
    "application/vnd.ms-excel",
    officeFile("xl", { "xl/vbaProject.bin": "" }),
  ),
  file("Old office file", "a.doc", "application/msword", compoundFile()),
  file(
    "OpenDocument file",
    "a.odt",
    "application/vnd.oasis.opendocument.text",
    zip({ mimetype: "application/vnd.oasis.opendocument.text" }),
  ),
  file("Rich text", "a.rtf", "application/rtf", text("{\\rtf1 a}")),
  file("Text", "a.txt", "text/plain", text("Dear Ann,\n<script> is a word of HTML.\n")),
  file("Table (CSV)", "a.csv", "text/csv", text("a,b\n1,2\n")),
  {
    ...file("Sound (MP3) as a file", "a.mp3", "audio/mpeg", latin1("ID3\x04\0\0\0\0\0\x01\0\xff\xfb\x90\x64")),
    type: "file",
  },
  { ...file("Picture (WebP) as a file", "a.webp", "image/webp", latin1("RIFF\x1a\0\0\0WEBPVP8L")), type: "file" },
  file("ZIP archive", "a.zip", "application/zip", zip({ "a.txt": "a" })),
  file("ZIP archive of a program", "b.zip", "application/zip", zip({ "setup.exe": windowsProgram() })),
  file("gzip archive", "a.tar.gz", "application/gzip", gzipSync("a")),
  file("7z archive", "a.7z", "application/x-7z-compressed", latin1("7z\xbc\xaf\x27\x1c\0\x04")),
  file("RAR archive", "a.rar", "application/vnd.rar", latin1("Rar!\x1a\x07\x01\0")),
  file("Encrypted file", "a.gpg", "application/pgp-encrypted", latin1("\x85\x02\x0c\x03\x9a\x11\x52\x7e")),
  polyglot(
    "PDF that is a ZIP archive, too",
    "application/pdf",
    Buffer.concat([mediaFiles["application/pdf"](), zip({ "setup.exe": windowsProgram() })]),
  ),
  polyglot(
    "PDF that contains a script",
    "application/pdf",
    Buffer.concat([mediaFiles["application/pdf"](), text("<script>alert(1)</script>")]),
  ),
  polyglot(
    "Program that is a PDF, too",
    "application/pdf",
    Buffer.concat([windowsProgram(), mediaFiles["application/pdf"]()]),
  ),
  polyglot(
    "PNG that is a Java archive, too",
    "image/png",
    Buffer.concat([mediaFiles["image/png"](), zip({ "META-INF/MANIFEST.MF": "" })]),
  ),
  polyglot("JPEG with a PHP script", "image/jpeg", jpeg(jpegSegment(0xfe, text("<?php echo 1; ?>")))),
  polyglot(
    "GIF that is a script, too",
    "image/gif",
    Buffer.concat([latin1("GIF89a=1;/*"), gif(), latin1("*/alert(1)")]),
  ),
];

function file(name: string, filename: string, contentType: string, bytes: Buffer): CorpusFile {
  return { name, filename, contentType, bytes };
}

function polyglot(name: string, claim: MediaFileType, bytes: Buffer): CorpusFile {
  return { name, filename: "a", contentType: claim, bytes, claim };
}
