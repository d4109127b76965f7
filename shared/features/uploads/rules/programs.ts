import { fileExtension } from "./media-types.ts";

// Scripts and pages, by how their text starts.

/** In lower case. */
const textMarks: readonly string[] = [
  "#!",
  "<?php",
  "<?=",
  "<%",
  "<script",
  "<hta:",
  "<html",
  "<svg",
  "<job",
  "<scriptlet",
  "@echo",
  "[desktop entry]",
  "[internetshortcut]",
  "windows registry editor",
  "regedit4",
];

/** An element at the start of a page that has no `<html>`. */
const PAGE_ELEMENT = /^<(head|body|iframe|meta|title)[\s/>]/;

/** Whether a text starts as a script or as a page that runs scripts. Reads UTF-8 and UTF-16. */
export function startsAsProgramText(head: Buffer): boolean {
  const text = skipPreamble(decode(head).toLowerCase());
  return textMarks.some((mark) => text.startsWith(mark)) || PAGE_ELEMENT.test(text) || isPageDoctype(text);
}

function decode(head: Buffer): string {
  const mark = head.toString("hex", 0, 3);
  if (mark === "efbbbf") return head.toString("utf8", 3);
  if (mark.startsWith("fffe")) return head.toString("utf16le", 2);
  if (mark.startsWith("feff")) return decodeBigEndian(head.subarray(2));
  // Without a mark, the other byte of each ASCII character is zero.
  if (head[1] === 0 && head[3] === 0) return head.toString("utf16le");
  if (head[0] === 0 && head[2] === 0) return decodeBigEndian(head);
  return head.toString("latin1");
}

/** Node decodes the other byte order only. An odd byte at the end belongs to no character. */
function decodeBigEndian(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
    .swap16()
    .toString("utf16le");
}

/** The text after spaces, XML declarations and comments, which a browser skips, too. */
function skipPreamble(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--")
      ? rest.indexOf("-->") + 3
      : rest.startsWith("<?xml")
        ? rest.indexOf("?>") + 2
        : 0;
    // Without an end, `indexOf` gives -1.
    if (end < 4) return rest;
    rest = rest.slice(end).trimStart();
  }
}

function isPageDoctype(text: string): boolean {
  return /^<!doctype\s+(html|svg)/.test(text);
}

// What counts as a program: by its name, by its content type and by its first bytes. An archive or an office file is no
// program, although it may contain one: this is no virus scanner.

const extensions = new Set(
  [
    // Windows programs, libraries, installers and their settings
    "exe com scr pif cpl dll ocx sys drv msi msp mst msix msixbundle appx appxbundle appref-ms application gadget hlp chm",
    "lnk url reg inf scf msc job library-ms searchconnector-ms settingcontent-ms",
    // scripts
    "bat cmd btm ps1 ps1xml psm1 psd1 psc1 vb vbs vbe js mjs cjs jse ws wsf wsh wsc sct hta sh bash zsh csh ksh fish",
    "command workflow scpt applescript py pyc pyo pyw pyz pl pm rb php phar phtml lua tcl awk asp aspx jsp",
    // programs and packages of other systems
    "jar class war ear jnlp apk aab ipa app dmg pkg mpkg deb rpm snap flatpak appimage run elf so dylib ko mach-o",
    "wasm dex desktop crx xpi swf cab",
    // disk images
    "iso img vhd vhdx vmdk",
    // pages that run scripts
    "htm html xhtml xht shtml mht mhtml svg svgz",
    // office files that are made to run macros or embed programs
    "docm dotm xlsm xltm xlam xll pptm potm ppsm ppam sldm accde mde one onepkg",
  ].flatMap((names) => names.split(" ")),
);

const contentTypes = new Set([
  "application/bat",
  "application/com",
  "application/dos-exe",
  "application/ecmascript",
  "application/exe",
  "application/hta",
  "application/java",
  "application/java-archive",
  "application/java-vm",
  "application/javascript",
  "application/msdos-windows",
  "application/vnd.android.package-archive",
  "application/vnd.apple.installer+xml",
  "application/vnd.debian.binary-package",
  "application/vnd.microsoft.portable-executable",
  "application/vnd.ms-cab-compressed",
  "application/vnd.ms-htmlhelp",
  "application/wasm",
  "application/x-apple-diskimage",
  "application/x-bat",
  "application/x-csh",
  "application/x-debian-package",
  "application/x-deb",
  "application/x-desktop",
  "application/x-dosexec",
  "application/x-elf",
  "application/x-executable",
  "application/x-hta",
  "application/x-httpd-php",
  "application/x-iso9660-image",
  "application/x-java-applet",
  "application/x-java-archive",
  "application/x-javascript",
  "application/x-mach-binary",
  "application/x-ms-dos-executable",
  "application/x-ms-installer",
  "application/x-ms-shortcut",
  "application/x-msdos-program",
  "application/x-msdownload",
  "application/x-msi",
  "application/x-perl",
  "application/x-php",
  "application/x-powershell",
  "application/x-python",
  "application/x-python-code",
  "application/x-redhat-package-manager",
  "application/x-rpm",
  "application/x-ruby",
  "application/x-sh",
  "application/x-shar",
  "application/x-sharedlib",
  "application/x-shellscript",
  "application/x-shockwave-flash",
  "application/x-vbs",
  "application/x-winexe",
  "application/xhtml+xml",
  "image/svg+xml",
  "text/ecmascript",
  "text/html",
  "text/javascript",
  "text/jscript",
  "text/php",
  "text/vbs",
  "text/vbscript",
  "text/x-msdos-batch",
  "text/x-perl",
  "text/x-php",
  "text/x-powershell",
  "text/x-python",
  "text/x-ruby",
  "text/x-script.python",
  "text/x-sh",
  "text/x-shellscript",
]);

/** Office files that are made to run macros, such as `application/vnd.ms-word.document.macroenabled.12`. */
const MACRO_TYPE = /\.macroenabled(\.|$)/;

/** How the binary form of a program starts, in Latin-1. */
const marks: readonly string[] = [
  // DOS and Windows programs
  "MZ",
  "ZM",
  "\x7fELF",
  // Mach-O of both byte orders and sizes; Mach-O of several architectures, and Java classes
  "\xfe\xed\xfa\xce",
  "\xfe\xed\xfa\xcf",
  "\xce\xfa\xed\xfe",
  "\xcf\xfa\xed\xfe",
  "\xca\xfe\xba\xbe",
  "\xca\xfe\xba\xbf",
  "\xbe\xba\xfe\xca",
  "\xca\xfe\xd0\x0d",
  // WebAssembly, Android, Lua, LLVM
  "\0asm",
  "dex\n",
  "\x1bLua",
  "\x1bLJ",
  "BC\xc0\xde",
  // packages of Debian, RPM, macOS, Chrome, Windows, snap
  "!<arch>\n",
  "\xed\xab\xee\xdb",
  "xar!",
  "Cr24",
  "MSCF\0\0\0\0",
  "hsqs",
  // a macOS disk image, compressed; virtual disks
  "x\x01s\rbb`",
  "conectix",
  "vhdxfile",
  // a Windows shortcut, compiled help, OneNote
  "L\0\0\0\x01\x14\x02\0",
  "ITSF",
  "\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3",
  // an encoded script of Windows
  "#@~^",
  // the test file of virus scanners
  "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR",
];

/** Whether a file is a program by its last extension. */
export function hasProgramName(filename: string): boolean {
  return extensions.has(fileExtension(filename));
}

/** @param contentType normalized */
export function isProgramType(contentType: string): boolean {
  return contentTypes.has(contentType) || MACRO_TYPE.test(contentType);
}

/** Whether a file starts as a program. @param head the first 4,100 bytes, or all of a shorter file */
export function startsAsProgram(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const start = bytes.toString("latin1", 0, 64);
  return (
    marks.some((mark) => start.startsWith(mark)) ||
    isFlash(start) ||
    isJavaArchive(start) ||
    isInstaller(bytes) ||
    startsAsProgramText(bytes)
  );
}

/** A Flash movie has its length after the version. The last byte of a length below 32 MB is no character of a text. */
function isFlash(start: string): boolean {
  return /^[FCZ]WS/.test(start) && start.length >= 8 && start.charCodeAt(7) <= 1;
}

/** Java and Android archives are ZIP files. The tools that make them write one of these files first. */
function isJavaArchive(start: string): boolean {
  return start.startsWith("PK\x03\x04") && /^(META-INF\/(MANIFEST\.MF)?|AndroidManifest\.xml)/.test(start.slice(30));
}

const INSTALLER_CLASS = "84100c0000000000c000000000000046";

/** An MSI file has the container of old office files. The class of its root entry differs. */
function isInstaller(bytes: Buffer): boolean {
  if (!bytes.toString("hex", 0, 8).startsWith("d0cf11e0a1b11ae1") || bytes.length < 512) return false;
  const sectorSize = 2 ** Math.min(bytes.readUInt16LE(30), 12);
  const rootClass = (bytes.readUInt32LE(48) + 1) * sectorSize + 80;
  return bytes.toString("hex", rootClass, rootClass + 16) === INSTALLER_CLASS;
}
