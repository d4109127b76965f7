import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A Chromium to launch, and the environment that it needs. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const packageEntry = createRequire(import.meta.url).resolve("@sparticuz/chromium");

/** The package unpacks into the folder for temporary files, where it trusts what an aborted run left. */
const UNPACK_SCRIPT = `
  import { inflate } from ${JSON.stringify(packageEntry)};
  await Promise.all(process.argv.slice(1).map((archive) => inflate(archive)));
`;

/**
 * Unpacks the Chromium that npm installed, with its libraries NSS, NSPR and expat and a font, once for each install.
 * Throws on other machines than Linux on x64: the package has no binary for them.
 */
export function unpackChromium(): Chromium {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      `@sparticuz/chromium has no browser for ${process.platform} ${process.arch}. Set CHROMIUM to the path of a Chromium or Chrome.`,
    );
  }
  const folder = join(nodeModules, ".cache", "chromium");
  if (!existsSync(folder)) unpackInto(folder);
  // The project's folder may have been moved or copied since.
  configureFonts(join(folder, "fonts"), folder);
  return {
    executablePath: join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

function unpackInto(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  try {
    const archives = ["chromium.br", "al2023.tar.br", "fonts.tar.br"].map((name) =>
      join(dirname(packageEntry), "..", "bin", name),
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", UNPACK_SCRIPT, ...archives],
      { env: { ...process.env, TMPDIR: partial }, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`@sparticuz/chromium could not be unpacked: ${stderr}`);
    // The package's own configuration names folders of Lambda.
    configureFonts(join(partial, "fonts"), folder);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another worker was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** Writes the configuration for a browser that runs in `folder`, unless it is already written. */
export function configureFonts(fontsFolder: string, folder: string): void {
  const file = join(fontsFolder, "fonts.conf");
  const configuration = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir>${folder}/fonts/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  ].join("\n");
  if (existsSync(file) && readFileSync(file, "utf8") === configuration) return;
  // A browser of another worker never reads half a file.
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, configuration);
  renameSync(partial, file);
}
