import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface LockRegistry extends AsyncDisposable {
  readonly url: string;
  /** Paths that the lock file does not name. */
  readonly unknownPaths: readonly string[];
  /** Packages that npm requested and whose content npm's cache lacks. */
  readonly absentPackages: readonly string[];
  /** How often npm received the forged package. */
  readonly forgedRequests: number;
}

export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly [field: string]: unknown;
}

interface LockRegistryOptions {
  readonly lockFile: string;
  /** npm's cache, whose content has its hash as its name. Default: no content. */
  readonly cache?: string;
  /** A package whose content is replaced by other bytes. */
  readonly forgedPackage?: string;
  /** The answer to an audit, by package. Null: 503. Default: the path is unknown. */
  readonly advisories?: object | null;
}

/** A registry of npm on the loopback that serves what a lock file names, and nothing else. */
export async function startLockRegistry(options: LockRegistryOptions): Promise<LockRegistry> {
  const { lockFile, cache = "", forgedPackage, advisories } = options;
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as { packages: Record<string, LockEntry> };
  const entries = Object.entries(packages)
    .filter(([path, { integrity }]) => path !== "" && integrity !== undefined)
    .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf("node_modules/") + 13), ...entry }));
  const unknownPaths: string[] = [];
  const absentPackages: string[] = [];
  let forgedRequests = 0;
  const tarballPath = (name: string, version?: string) => `/${name}/-/${version}.tgz`;

  function packument(name: string) {
    const versions = entries
      .filter((entry) => entry.name === name)
      .map((entry) => {
        const tarball = `${url()}${tarballPath(name, entry.version)}`;
        return [entry.version, { ...entry, dist: { tarball, integrity: entry.integrity } }];
      });
    return versions.length === 0 ? null : JSON.stringify({ name, versions: Object.fromEntries(versions) });
  }

  function sendTarball(response: ServerResponse, { name, version, integrity = "" }: LockEntry & { name: string }) {
    const file = contentFile(cache, integrity);
    if (name === forgedPackage) {
      forgedRequests++;
      return response.end("other bytes");
    }
    if (existsSync(file)) return response.end(readFileSync(file));
    absentPackages.push(`${name}@${version}`);
    response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    if (path === "/-/npm/v1/security/advisories/bulk" && advisories !== undefined) {
      response.writeHead(advisories === null ? 503 : 200).end(JSON.stringify(advisories));
      return;
    }
    const entry = entries.find(({ name, version }) => tarballPath(name, version) === path);
    if (entry !== undefined) return void sendTarball(response, entry);
    const body = packument(path.slice(1));
    if (body !== null) return void response.setHeader("content-type", "application/json").end(body);
    unknownPaths.push(path);
    response.writeHead(404).end();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: url(),
    unknownPaths,
    absentPackages,
    get forgedRequests() {
      return forgedRequests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Where npm's cache has a content: `content-v2/sha512/ab/cd/…`, in hexadecimal digits. */
function contentFile(cache: string, integrity: string): string {
  const [algorithm = "", digest = ""] = integrity.split("-");
  const hex = Buffer.from(digest, "base64").toString("hex");
  return join(cache, "_cacache", "content-v2", algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
}
