import type { PlantedFault } from "../../planted-fault.ts";

const connect = "test/features/realtime/flows/connect.test.ts";
const cutOff = "test/features/realtime/flows/cut-off.test.ts";
const frames = "test/features/realtime/flows/frames.test.ts";
const sockets = "test/features/realtime/store/sockets.test.ts";
const tickets = "test/features/realtime/store/tickets.test.ts";

/** Faults of tickets, handshakes and the end of sockets. */
export const connectingFaults: readonly PlantedFault[] = [
  {
    name: "a ticket is read before it is deleted",
    file: "shared/features/realtime/store/tickets.ts",
    search: `const write = remove(realtimeTicketKey(ticketId), above(A.expiresAt, now), "ALL_OLD");
      const result = await conditionalWrite<TicketItem>(table, write);`,
    replacement: `const { GetCommand } = await import("@aws-sdk/lib-dynamodb");
      const Key = realtimeTicketKey(ticketId);
      const { Item: item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
      const result: any = { applied: item !== undefined && item[A.expiresAt] > now, item };
      await sendWrite(table, remove(Key));`,
    killedBy: { file: connect, title: "a ticket opens exactly one socket when it is used twenty times at once" },
  },
  {
    name: "a ticket that was used stays",
    file: "shared/features/realtime/store/tickets.ts",
    search: "const result = await conditionalWrite<TicketItem>(table, write);",
    replacement: `const result = await conditionalWrite<TicketItem>(table, write);
      if (result.applied && result.item) await sendWrite(table, put(result.item as never));`,
    killedBy: {
      file: connect,
      title:
        "a ticket of a signed-in person opens a socket for the console's pages alone, and is consumed by any other",
    },
  },
  {
    name: "a ticket opens a socket after its minute",
    file: "shared/features/realtime/store/tickets.ts",
    search: "above(A.expiresAt, now)",
    replacement: "above(A.expiresAt, 0)",
    killedBy: {
      file: tickets,
      title: "a ticket is usable to the last millisecond of its time, and an unknown one never is",
    },
  },
  {
    name: "the ticket of a session opens a socket without an origin",
    file: "shared/features/realtime/flows/connect.ts",
    search: `grant.kind === "session" && origin !== ports.consoleOrigin`,
    replacement: `grant.kind === "session" && origin !== null && origin !== ports.consoleOrigin`,
    killedBy: {
      file: connect,
      title:
        "a ticket of a signed-in person opens a socket for the console's pages alone, and is consumed by any other",
    },
  },
  {
    name: "the first frame of a socket is sent at once",
    file: "shared/features/realtime/flows/hello.ts",
    search: ", delay: VISIBLE_AFTER });",
    replacement: " });",
    killedBy: {
      file: connect,
      title: "a socket has its first frame queued two seconds later, and ends two hours after it connected",
    },
  },
  {
    name: "a full tenant has its sockets refused without a count",
    file: "shared/features/realtime/flows/connect.ts",
    search: "  await sockets.repair(tenant, now);\n",
    replacement: "",
    killedBy: {
      file: connect,
      title: "a socket is refused where there are 1,000, and opens where rows were removed without their number",
    },
  },
  {
    name: "a tenant has one socket more than the maximum",
    file: "shared/features/realtime/store/presence.ts",
    search: "absentOr(below, A.count, max)",
    replacement: "absentOr(below, A.count, max + 1)",
    killedBy: { file: sockets, title: "of sockets that open at the same time no more than the maximum do" },
  },
  {
    name: "a count of sockets loses one that connected during it",
    file: "shared/features/realtime/store/presence.ts",
    search: "equals(A.op, item[A.op])",
    replacement: "itemExists",
    killedBy: { file: sockets, title: "a repair loses no socket that comes or goes during its count" },
  },
  {
    name: "a socket opens although its access has ended",
    file: "shared/features/realtime/store/sockets.ts",
    search: "        ...grantChecks(tenant, grant),\n",
    replacement: "",
    killedBy: { file: sockets, title: "a socket opens while its access holds, and for no other reason" },
  },
  {
    name: "a socket opens after a sign-out with a ticket from before",
    file: "shared/features/realtime/store/socket-items.ts",
    search: "        check(userKey(grant.userId), equals(User.sessionEpoch, grant.epoch)),\n",
    replacement: "",
    killedBy: { file: sockets, title: "a socket opens while its access holds, and for no other reason" },
  },
  {
    name: "the ticket of an earlier membership opens a socket in a later one",
    file: "shared/features/realtime/store/socket-items.ts",
    search: "        check(membershipKey(tenant, grant.userId), equals(Member.createdAt, grant.memberSince)),\n",
    replacement: "",
    killedBy: { file: cutOff, title: "a member who is invited again has only the sockets of the later membership" },
  },
  {
    name: "a socket that is being closed receives frames",
    file: "shared/features/realtime/flows/close.ts",
    search: "  await ports.sockets.markEnded(tenant, connectionIds, now);\n",
    replacement: "",
    killedBy: {
      file: cutOff,
      title: "closing is repeated until the gateway closed the connections, which receive nothing until then",
    },
  },
  {
    name: "a socket that the gateway did not close loses its row",
    file: "shared/features/realtime/flows/close.ts",
    search: `if (result === "failed") return;`,
    replacement: "",
    killedBy: {
      file: cutOff,
      title: "closing is repeated until the gateway closed the connections, which receive nothing until then",
    },
  },
  {
    name: "a connection in its handshake counts as closed",
    file: "shared/features/realtime/flows/close.ts",
    search: `!areOpen && result === "gone" && (row?.connectedAt ?? requestedAt) > now - HANDSHAKE_MAX`,
    replacement: "false",
    killedBy: {
      file: cutOff,
      title: "closing is repeated while the gateway does not know the connection, whose handshake goes on",
    },
  },
  {
    name: "a first frame is sent although the access of the socket has ended",
    file: "shared/features/realtime/flows/close.ts",
    search: "  if (isOpen) return socket;",
    replacement: "  if (socket) return socket;",
    killedBy: {
      file: "test/features/realtime/flows/push/hello.test.ts",
      title: "a socket whose key was revoked before its first frame is closed instead",
    },
  },
  {
    name: "no check of sockets is requested before their access ends",
    file: "shared/features/realtime/cut-off.ts",
    search: "const isCheckRequested = await requestCheck(ports, access);",
    replacement: "const isCheckRequested = false;",
    killedBy: {
      file: cutOff,
      title: "access that ends has its sockets closed when the process dies right after the commit",
    },
  },
  {
    name: "a member who is removed keeps a socket until the check",
    file: "shared/features/realtime/cut-off.ts",
    search: "  if (hasEnded(result)) await requestClose(ports, access, isCheckRequested);\n",
    replacement: "",
    killedBy: { file: cutOff, title: "access that ends loses each of its sockets, and no other does" },
  },
  {
    name: "a repeated revocation closes no socket that the first one left open",
    file: "shared/features/access/flows/key-lists.ts",
    search: "    await closeAgain(ports, access);\n",
    replacement: "",
    killedBy: {
      file: cutOff,
      title: "%s by a command without the URL of the queue loses its sockets when the command is repeated",
    },
  },
  {
    name: "a frame of more than 4 KB is answered",
    file: "shared/features/realtime/flows/frames.ts",
    search: 'Buffer.byteLength(text ?? "") > SOCKET_FRAME_BYTES_MAX',
    replacement: 'Buffer.byteLength(text ?? "") < 0',
    killedBy: { file: frames, title: "a frame over 4 KB closes its connection" },
  },
  {
    name: "a flood of frames is answered",
    file: "shared/features/realtime/flows/frames.ts",
    search: "if (!use || use.isExceeded)",
    replacement: "if (!use)",
    killedBy: { file: frames, title: "sixty frames in a minute are accepted, and one more closes the connection" },
  },
  {
    name: "a ping is answered before the first frame",
    file: "shared/features/realtime/flows/frames.ts",
    search: "if (isPing && use.isGreeted)",
    replacement: "if (isPing)",
    killedBy: { file: frames, title: "a ping at any moment around the first frame is answered, and never before it" },
  },
  {
    name: "a ping before the first frame is never answered",
    file: "shared/features/realtime/flows/push/greet.ts",
    search: "if (await ports.socketFrames.markGreeted(connectionId, now))",
    replacement: "if ((await ports.socketFrames.markGreeted(connectionId, now)) && false)",
    killedBy: { file: frames, title: "pings before the first frame are answered after it, at once" },
  },
  {
    name: "a connection is marked before its first frame is sent",
    file: "shared/features/realtime/flows/push/greet.ts",
    search: "  const { connectedAt, expiresAt } = socket;\n",
    replacement:
      "  const { connectedAt, expiresAt } = socket;\n  await ports.socketFrames.markGreeted(connectionId, now);\n",
    killedBy: { file: frames, title: "a ping at any moment around the first frame is answered, and never before it" },
  },
  {
    name: "a connection in its handshake, whose row a deletion removed, counts as ended",
    file: "shared/features/realtime/flows/close.ts",
    search: "if (unknownIds.length > 0 && !(await ports.sockets.isTenantDeleted(tenant))) closedIds",
    replacement: "if (unknownIds.length > 0) closedIds",
    killedBy: {
      file: cutOff,
      title:
        "a handshake during the deletion of its tenant has its socket closed when it stands, though the row was removed and the gateway did not know it",
    },
  },
  {
    name: "a check closes no connection whose row a deletion removed",
    file: "shared/features/realtime/flows/close.ts",
    search: "endedIds.push(...withoutRow);",
    replacement: "endedIds.push();",
    killedBy: {
      file: cutOff,
      title:
        "a handshake during the deletion of its tenant has its socket closed by the check that was requested before, where the queue failed after the deletion began",
    },
  },
  {
    name: "the worker forgets when the closing of a socket was requested",
    file: "shared/features/realtime/flows/push/push-message.ts",
    search: "closeSockets(ports, { ...message, requestedAt: sentAt,",
    replacement: "closeSockets(ports, { ...message,",
    killedBy: {
      file: "test/features/realtime/flows/push/close.test.ts",
      title:
        "a message (%s) for a connection in its handshake, whose row went with its tenant, comes again until it stands",
    },
  },
];
