import { ApiGatewayManagementApiClient, PostToConnectionCommand } from "@aws-sdk/client-apigatewaymanagementapi";
import { openRealtimeGateway } from "#local-aws/realtime/gateway.ts";
import { type Millis, SECOND } from "#local-aws/support/time.ts";
import { testAccessKeys } from "../../../support/access/access-keys.ts";

/** What the tests read of an event. */
export interface SocketEvent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[]>>;
  readonly requestContext: Readonly<Record<string, unknown>> & {
    readonly connectionId: string;
    readonly eventType: "CONNECT" | "MESSAGE" | "DISCONNECT";
  };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

type Answer = (event: SocketEvent) => unknown;

/** A gateway whose function is a callback, with a clock that the test turns. */
export async function openGatewayFixture(timeoutMs = 29_000) {
  let now: Millis = Date.UTC(2026, 0, 1);
  let answer: Answer = () => ({ statusCode: 200 });
  const events: SocketEvent[] = [];
  const reports: string[] = [];
  const waiting: { type: string; resolve: (event: SocketEvent) => void }[] = [];
  const unread: SocketEvent[] = [];
  const gateway = await openRealtimeGateway({
    port: 0,
    now: () => now,
    accessKeys: testAccessKeys,
    // The last ones stand for what only the gateway of AWS passes on.
    origins: ["https://console.example.com", "null", "https://a.example.com", "https://b.example.com"],
  });
  const serve = () => {
    const route = { functionId: "Socket", timeoutMs };
    gateway.serve({
      api: { id: "sockets", stage: "live", routes: { $connect: route, $disconnect: route, $default: route } },
      functions: {
        invoke: async (_id, event) => {
          const socketEvent = event as SocketEvent;
          events.push(socketEvent);
          const at = waiting.findIndex(({ type }) => type === socketEvent.requestContext.eventType);
          const [waiter] = at === -1 ? [] : waiting.splice(at, 1);
          if (waiter) waiter.resolve(socketEvent);
          else unread.push(socketEvent);
          return await answer(socketEvent);
        },
      },
      report: (line) => reports.push(line),
    });
  };
  const endpoint = `${gateway.origin}/live`;
  const client = (url = endpoint) =>
    new ApiGatewayManagementApiClient({
      endpoint: url,
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      maxAttempts: 1,
      requestHandler: { connectionTimeout: SECOND, requestTimeout: 2 * SECOND, throwOnRequestTimeout: true },
    });
  const ownClient = client();
  /** Sends a text frame. @returns `gone` when the connection is closed, or when its handshake is not answered yet */
  const post = async (connectionId: string, text: string): Promise<"sent" | "gone"> => {
    try {
      await ownClient.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: Buffer.from(text) }));
      return "sent";
    } catch (error) {
      if ((error as Error).name === "GoneException") return "gone";
      throw error;
    }
  };
  return {
    gateway,
    serve,
    events,
    reports,
    endpoint,
    url: `${gateway.origin.replace("http", "ws")}/live`,
    client,
    post,
    now: () => now,
    advance(by: Millis): void {
      now += by;
      gateway.onClockAdvance();
    },
    setAnswer(next: Answer): void {
      answer = next;
    },
    /** The oldest event of a type that no earlier call returned; waits for it if it has not come. */
    nextEvent(type: SocketEvent["requestContext"]["eventType"]): Promise<SocketEvent> {
      const at = unread.findIndex(({ requestContext }) => requestContext.eventType === type);
      const [event] = at === -1 ? [] : unread.splice(at, 1);
      if (event) return Promise.resolve(event);
      const next = Promise.withResolvers<SocketEvent>();
      waiting.push({ type, resolve: next.resolve });
      return next.promise;
    },
  };
}
