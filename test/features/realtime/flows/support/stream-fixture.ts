import type { LogLine } from "#base/aws/log.ts";
import type { QueueMessage } from "#base/aws/queues.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Caller, SessionCaller } from "#features/access/rules/callers.ts";
import { closeSockets, NotClosed, recheckSockets, verifySocket } from "#features/realtime/flows/close.ts";
import { connectSocket } from "#features/realtime/flows/connect.ts";
import { createTicket } from "#features/realtime/flows/tickets.ts";
import { decodeRealtime, type RealtimeMessage } from "#features/realtime/queue.ts";
import { observeFrame } from "../../../../support/conformance/observed.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openTeamEnv } from "../../../access/flows/team/support/team.ts";

export const CONSOLE = "https://console.example";
/** The redeliveries of a message before the test fails. */
const RECEIVES_MAX = 10;

let connections = 0;

const newConnectionId = () => `connection-${++connections}`;

export type StreamFixture = ReturnType<typeof openStreamFixture>;

/** A gateway of WebSocket connections, and the queue of the push worker, which the test runs itself. */
export function openStreamFixture(testEnv: TestEnv) {
  const team = openTeamEnv(testEnv);
  /** `handshake`: the gateway does not know the connection yet. */
  const states = new Map<string, "handshake" | "open" | "closed">();
  const frames: { readonly connectionId: string; readonly text: string }[] = [];
  const queue: (RealtimeMessage & { readonly delay: Millis; readonly sentAt: Millis })[] = [];
  const lines: LogLine[] = [];
  const gateway = {
    async post(connectionId: string, text: string) {
      if (states.get(connectionId) !== "open") return "gone" as const;
      observeFrame("server", text);
      frames.push({ connectionId, text });
      return "sent" as const;
    },
    async close(connectionId: string) {
      if (states.get(connectionId) !== "open") return "gone" as const;
      states.set(connectionId, "closed");
      return "closed" as const;
    },
  };
  const ports = {
    ...testEnv.apiPorts({ events: "", deliveries: "" }),
    ...team.ports,
    connections: gateway,
    consoleOrigin: CONSOLE,
    realtime: {
      async send({ body, delay = 0 }: QueueMessage) {
        const message = decodeRealtime(body);
        if (!message) throw new Error("The message is unreadable.");
        queue.push({ ...message, delay, sentAt: testEnv.now() });
      },
    },
    log: (line: LogLine) => void lines.push(line),
  };

  const fixture = {
    ports,
    team,
    frames,
    queue,
    lines,
    isOpen: (connectionId: string) => states.get(connectionId) === "open",

    async newTicket(caller: Caller, tenant: TenantId): Promise<string> {
      const created = await createTicket(ports, { caller, tenant, now: testEnv.now() });
      if (isRefusal(created)) throw new Error(`The ticket was refused: ${created.refused}.`);
      return created.ticket;
    },

    /** A handshake, as a gateway does it. @param openPorts those of the process that answers it */
    async connect(
      ticket: string | null,
      {
        origin = CONSOLE,
        connectionId = newConnectionId(),
        openPorts = ports,
        includesConversation = false,
      }: {
        readonly origin?: string | null;
        readonly connectionId?: string;
        readonly openPorts?: typeof ports;
        readonly includesConversation?: boolean;
      } = {},
    ) {
      states.set(connectionId, "handshake");
      const now = testEnv.now();
      const handshake = { connectionId, connectedAt: now, ticket, origin, includesConversation, now };
      try {
        const result = await connectSocket(openPorts, handshake);
        states.set(connectionId, result === "connected" ? "open" : "closed");
        return { result, connectionId };
      } catch (error) {
        states.set(connectionId, "closed");
        throw error;
      }
    },

    /** Opens a socket of a caller. @returns the id of its connection */
    async open(caller: Caller, tenant: TenantId): Promise<string> {
      const { result, connectionId } = await fixture.connect(await fixture.newTicket(caller, tenant));
      if (result !== "connected") throw new Error(`The handshake was refused: ${result}.`);
      return connectionId;
    },

    /** A signed-in member of a tenant. */
    async newMember(tenant: TenantId, role: "agent" | "owner" = "agent"): Promise<SessionCaller> {
      return (await team.author(await team.newMember(tenant, role))).caller;
    },

    /** A person who was removed becomes a member again, in a later membership. */
    async inviteAgain(tenant: TenantId, { email }: SessionCaller): Promise<SessionCaller> {
      return (await team.author(await team.newMember(tenant, "agent", email))).caller;
    },

    /** Processes a message as the push worker does. */
    async process(message: (typeof queue)[number]): Promise<void> {
      const { tenant, sentAt: requestedAt } = message;
      const now = testEnv.now();
      if (message.kind === "close") await closeSockets(ports, { ...message, requestedAt, now });
      if (message.kind === "recheck") await recheckSockets(ports, { ...message, requestedAt, now });
      if (message.kind === "hello") await verifySocket(ports, { tenant, connectionId: message.connectionId, now });
    },

    /** Processes every message of the queue, in the order of their delays. A connection that was not closed is closed later. */
    async drain(): Promise<void> {
      for (const message of queue.splice(0).toSorted((a, b) => a.delay - b.delay)) {
        for (let receives = 1; ; receives++) {
          try {
            await fixture.process(message);
            break;
          } catch (error) {
            if (!(error instanceof NotClosed) || receives === RECEIVES_MAX) throw error;
            testEnv.advance(10 * SECOND);
          }
        }
      }
    },
  };
  return fixture;
}
