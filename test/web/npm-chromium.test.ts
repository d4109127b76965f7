import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { configureFonts, unpackChromium } from "./support/npm-chromium.ts";

// `npm ci && npm test` passes on a machine without a browser, its libraries or fonts.

const script = fileURLToPath(new URL("./support/bare-machine-main.ts", import.meta.url));
const libraryFolders = [
  "/lib",
  "/usr/lib",
  "/lib64",
  "/usr/lib64",
  "/lib/x86_64-linux-gnu",
  "/usr/lib/x86_64-linux-gnu",
];
const fontFolders = ["/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts"];
const browserNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const chromiumLibraries = /^lib(nss3|nssutil3|nspr4|plc4|plds4|softokn3|freebl3|freeblpriv3|expat)\.so/;

/** What a machine that runs Node.js has: the C library and the compiler's runtime. */
const baseLibraries = /\/(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libnss_\w+)[.-][^/]*$/;

/** Puts an empty file over the system's Chromium and its libraries, and an empty folder over its fonts. */
const hideCommands = [
  ...libraryFolders
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => chromiumLibraries.test(name))
        .map((name) => join(folder, name)),
    )
    .concat(browserNames.map((name) => join("/usr/bin", name)))
    .filter(existsSync)
    .map((file) => `mount --bind /dev/null ${file}`),
  ...fontFolders.filter(existsSync).map((folder) => `mount -t tmpfs none ${folder}`),
];

/** The way into a mount namespace of its own, for root and for other users; null where the kernel permits neither. */
function findUnshare(): readonly string[] | null {
  const ways = [["--mount"], ["--mount", "--map-root-user"]];
  return (
    ways.find((way) => spawnSync("unshare", [...way, "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0) ?? null
  );
}

/** Opens a page with a program that runs the script, and checks that it needed nothing of the system. */
function expectPageOpens([program = "", ...args]: readonly string[]): void {
  const { executablePath } = unpackChromium();
  const { CHROMIUM: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(program, args, { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { width, programs, files } = JSON.parse(stdout) as { width: number; programs: string[]; files: string[] };
  expect(programs).toEqual([executablePath]);
  // An empty line would be the mark of a browser without a font.
  expect(width).toBeGreaterThan(20);
  expect(files).toContain(join(dirname(executablePath), "al2023", "lib", "libnss3.so"));
  const foreign = files.filter((file) => !file.startsWith(dirname(executablePath)));
  expect(foreign.filter((file) => !baseLibraries.test(file))).toEqual([]);
}

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("the browser from npm", () => {
  const unshare = findUnshare();

  test.runIf(unshare)(
    "the browser from npm opens a page where the system has no Chromium, NSS, NSPR, expat or fonts",
    () => {
      const commands = [...hideCommands, 'exec "$0" "$1"'].join(" && ");
      expectPageOpens(["unshare", ...(unshare ?? []), "sh", "-c", commands, process.execPath, script]);
    },
  );

  // What the browser loaded shows that it needed nothing else, but not what it does where that is missing.
  test.skipIf(unshare)("the browser from npm opens a page and loads no library or font of the system", () => {
    expectPageOpens([process.execPath, script]);
  });

  test("the browser from npm finds its fonts after the project's folder was moved", () => {
    const fonts = mkdtempSync(join(tmpdir(), "parley-fonts-"));
    configureFonts(fonts, "/before/chromium");
    configureFonts(fonts, "/after/chromium");
    const configuration = readFileSync(join(fonts, "fonts.conf"), "utf8");
    expect(configuration).toContain("<dir>/after/chromium/fonts/fonts</dir>");
    expect(configuration).not.toContain("/before/");
    expect(readdirSync(fonts)).toEqual(["fonts.conf"]);
    rmSync(fonts, { recursive: true });
  });
});
