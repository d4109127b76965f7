/** Node's `zlib`, loaded at its first use: 4 ms of CPU, which a first request without it saves. */
export const zlib = () => process.getBuiltinModule("node:zlib");
