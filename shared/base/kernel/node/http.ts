/**
 * Node's `http`. An import of it as an ES module reads each of its exports, among them `WebSocket`, and that loads Node's
 * whole client of fetch: 25 ms of CPU at a cold start.
 */
export const { Agent, request } = process.getBuiltinModule("node:http");
