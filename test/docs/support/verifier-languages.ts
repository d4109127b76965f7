import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, runCommand } from "./run-driver.ts";

export const RECEIVERS = fileURLToPath(new URL("../../../docs/guides/receivers", import.meta.url));
const DRIVERS = fileURLToPath(new URL("../drivers", import.meta.url));

/** A language with a verifier. */
export interface Language {
  readonly name: string;
  readonly file: string;
  /** The program that it needs on the machine. */
  readonly tool: string;
  /** True if a compiler runs first, which takes half a minute on a new machine: the full run has these. */
  readonly compiled?: true;
  isInstalled(): boolean;
  /** Builds the driver in its own folder and returns the command that starts it. */
  prepare(folder: string): Promise<Command>;
}

function commandSucceeds(...[program, ...args]: Command): () => boolean {
  return () => spawnSync(program, args, { timeout: 20_000 }).status === 0;
}

/** Nothing is downloaded: the verifiers use only their standard library. */
const offline = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local", GOWORK: "off", CGO_ENABLED: "0" };

export const languages: readonly Language[] = [
  {
    name: "TypeScript",
    file: "verify.ts",
    tool: "node",
    isInstalled: () => true,
    prepare: async () => [process.execPath, join(DRIVERS, "driver.mjs")],
  },
  {
    name: "Python",
    file: "verify.py",
    tool: "python3",
    isInstalled: commandSucceeds("python3", "--version"),
    prepare: async () => ["python3", join(DRIVERS, "driver.py"), RECEIVERS],
  },
  {
    name: "Go",
    file: "verify.go",
    tool: "go",
    compiled: true,
    isInstalled: commandSucceeds("go", "version"),
    async prepare(folder) {
      mkdirSync(join(folder, "receivers"), { recursive: true });
      cpSync(join(RECEIVERS, "verify.go"), join(folder, "receivers", "verify.go"));
      cpSync(join(DRIVERS, "driver.go"), join(folder, "main.go"));
      const options = { cwd: folder, env: { ...process.env, ...offline } };
      await runCommand(["go", "mod", "init", "driver"], options);
      await runCommand(["go", "build", "-o", "driver", "."], options);
      return [join(folder, "driver")];
    },
  },
  {
    name: "Ruby",
    file: "verify.rb",
    tool: "ruby",
    isInstalled: commandSucceeds("ruby", "-e", "exit(RUBY_VERSION.to_i >= 3)"),
    prepare: async () => ["ruby", join(DRIVERS, "driver.rb"), RECEIVERS],
  },
  {
    name: "PHP",
    file: "verify.php",
    tool: "php",
    isInstalled: commandSucceeds("php", "-r", "exit(PHP_VERSION_ID >= 80100 ? 0 : 1);"),
    prepare: async () => ["php", join(DRIVERS, "driver.php"), RECEIVERS],
  },
  {
    name: "Java",
    file: "Verify.java",
    tool: "javac of Java 17",
    compiled: true,
    isInstalled: commandSucceeds("javac", "--release", "17", "--version"),
    async prepare(folder) {
      mkdirSync(folder, { recursive: true });
      const sources = [join(RECEIVERS, "Verify.java"), join(DRIVERS, "Driver.java")];
      await runCommand(["javac", "--release", "17", "-Xlint:all", "-Werror", "-d", folder, ...sources]);
      return ["java", "-XX:TieredStopAtLevel=1", "-cp", folder, "Driver"];
    },
  },
  {
    name: "C#",
    file: "Verify.cs",
    tool: "dotnet",
    compiled: true,
    isInstalled: commandSucceeds("dotnet", "--version"),
    async prepare(folder) {
      mkdirSync(folder, { recursive: true });
      for (const file of ["Driver.cs", "Driver.csproj"]) cpSync(join(DRIVERS, file), join(folder, file));
      cpSync(join(RECEIVERS, "Verify.cs"), join(folder, "Verify.cs"));
      await runCommand(["dotnet", "build", "--output", join(folder, "built")], { cwd: folder });
      return ["dotnet", join(folder, "built", "Driver.dll")];
    },
  },
];
