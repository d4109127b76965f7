import { readdirSync, readlinkSync } from "node:fs";
import { connect, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { readIfExists } from "../support/read-if-exists.ts";

export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
}

const LISTEN = "0A";
const CONNECT_MAX_MS = 500;

/** The TCP sockets on which a process listens. Null where there is no /proc, or if the process has ended. */
export function listeningSockets(pid: number): ListeningSocket[] | null {
  try {
    const inodes = new Set(socketInodes(pid));
    const tables = ["tcp", "tcp6"].map((name) => readIfExists(`/proc/${pid}/net/${name}`) ?? "");
    return tables
      .flatMap(parseTable)
      .filter(({ inode }) => inodes.has(inode))
      .map(({ address, port }) => ({ address, port }));
  } catch {
    return null;
  }
}

/**
 * The addresses beyond loopback on which a process listens. Without /proc, those of this machine that accept a connection
 * on `port`.
 */
export async function exposedAddresses(pid: number, port: number): Promise<string[]> {
  const sockets = listeningSockets(pid);
  if (sockets === null) return await connectableAddresses(port);
  return sockets
    .filter(({ address }) => !isLoopback(address))
    .map((socket) => `${isIPv6(socket.address) ? `[${socket.address}]` : socket.address}:${socket.port}`);
}

/** The addresses of this machine's interfaces, without loopback, that accept a connection. */
export async function connectableAddresses(port: number): Promise<string[]> {
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    // A link-local address needs the name of its interface.
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
    .map(({ address }) => address);
  const answers = await Promise.all(addresses.map((address) => canConnect(address, port)));
  return addresses.filter((_, at) => answers[at]);
}

export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === "::1";
}

function socketInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}

/** Fields: number, local address, remote address, state, and the inode as the tenth. The first line names them. */
function parseTable(table: string): (ListeningSocket & { readonly inode: string })[] {
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [address = "", port = ""] = (fields[1] ?? "").split(":");
      if (fields[3] !== LISTEN) return [];
      return { address: parseAddress(address), port: Number.parseInt(port, 16), inode: fields[9] ?? "" };
    });
}

/** Words of 32 bits in the byte order of the machine, which is little-endian on x64 and arm64. */
function parseAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, "hex")].reverse());
  if (bytes.length === 4) return bytes.join(".");
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) return `::ffff:${bytes.slice(12).join(".")}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  const text = groups.join(":");
  return text === "0:0:0:0:0:0:0:0" ? "::" : text === "0:0:0:0:0:0:0:1" ? "::1" : text;
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MAX_MS });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
