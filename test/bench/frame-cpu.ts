import { ApiGatewayManagementApiClient, PostToConnectionCommand } from "@aws-sdk/client-apigatewaymanagementapi";
import { openConnections } from "#base/aws/realtime.ts";
import { POST_ATTEMPTS_MAX, requestOptions, requestTimeouts } from "#base/config/request-times.ts";
import { type CpuComparison, compareCpu, withReceiver } from "./cpu-ratio.ts";

const CONNECTION = "AAAAAAAAAAAAAAA=";
const FRAME = JSON.stringify({ id: "evt_01KJW8Z0000000000000000000", data: { text: "x".repeat(900) } });

/** CPU of a frame's request to the management API against the same request of the SDK's client. */
export function measureFrameCpu(): Promise<CpuComparison> {
  return withReceiver(async (port) => {
    const endpoint = `http://127.0.0.1:${port}/live`;
    const newClient = () =>
      new ApiGatewayManagementApiClient({
        endpoint,
        region: "us-east-1",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
        ...requestOptions(requestTimeouts.connections, POST_ATTEMPTS_MAX),
      });
    const clients = [newClient(), newClient()] as const;
    const connections = openConnections(endpoint, clients[0]);
    const ours = () => connections.post(CONNECTION, FRAME);
    const sdks = () =>
      clients[1].send(new PostToConnectionCommand({ ConnectionId: CONNECTION, Data: Buffer.from(FRAME) }));
    try {
      return await compareCpu(ours, sdks);
    } finally {
      for (const client of clients) client.destroy();
    }
  });
}
