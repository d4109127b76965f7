import type { Server } from "node:net";

export async function listenOnLoopback(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}
