import type { PlantedFault } from "../../planted-fault.ts";

const deliver = "test/features/realtime/flows/push/deliver.test.ts";
const erasure = "test/features/realtime/flows/push/erasure.test.ts";
const hello = "test/features/realtime/flows/push/hello.test.ts";
const pushEvents = "test/features/realtime/flows/push/push-events.test.ts";
const postFrames = "shared/features/realtime/flows/push/post-frames.ts";
const greet = "shared/features/realtime/flows/push/greet.ts";

/** Faults of what is queued for sockets, and of what they are sent. */
export const pushingFaults: readonly PlantedFault[] = [
  {
    name: "what an invocation left behind sends frames",
    file: "shared/base/aws/connection-post.ts",
    search: "      requireOpenCallScope();\n",
    replacement: "",
    killedBy: { file: "test/base/aws/realtime.test.ts", title: "what an invocation left behind sends nothing" },
  },
  {
    name: "a frame that the gateway refuses is sent again",
    file: "shared/base/aws/connection-post.ts",
    search: "status === null || status === 429 || status >= 500",
    replacement: "true",
    killedBy: {
      file: "test/base/aws/connection-post.test.ts",
      title: "a refusal with %i is not repeated, and has the name that the SDK gives it",
    },
  },
  {
    name: "a connection that does not stand is tried each second",
    file: greet,
    search: "return Math.max(RETRY_DELAY_MIN, age / 2);",
    replacement: "return age < 0 ? age : RETRY_DELAY_MIN;",
    killedBy: {
      file: hello,
      title: "a client that leaves before its first frame, without a word of the gateway, leaves no dead letter",
    },
  },
  {
    name: "events are queued for a tenant without sockets",
    file: "shared/features/realtime/flows/request-event-pushes.ts",
    search: "loaded !== null && hasSockets(loaded, now)",
    replacement: "loaded !== null",
    killedBy: { file: deliver, title: "no message is queued for a tenant that %s" },
  },
  {
    name: "an event that the queue of the stream did not take is not published again",
    file: "shared/features/realtime/flows/request-event-pushes.ts",
    search: "await ports.realtime.sendAll(messages.flat());",
    replacement: "await ports.realtime.sendAll(messages.flat()).catch(() => {});",
    killedBy: {
      file: deliver,
      title: "an event that the queue of the stream did not take comes again, and calls no endpoint again",
    },
  },
  {
    name: "a change is queued for a tenant without sockets",
    file: "shared/features/realtime/request-push.ts",
    search: "if (hasSockets(account, now)) await send(",
    replacement: "await send(",
    killedBy: {
      file: "test/features/realtime/flows/push/requests.test.ts",
      title: "an upload that ended is requested once its end is stored, for a tenant with sockets",
    },
  },
  {
    name: "a test event is queued for a tenant without sockets",
    file: "shared/features/realtime/request-push.ts",
    search: "  if (!hasSockets(known, now)) return Promise.resolve();\n",
    replacement: "",
    killedBy: { file: "test/costs/webhooks.test.ts", title: "a test event" },
  },
  {
    name: "a test event does not reach the stream",
    file: "shared/features/webhooks/flows/send-test.ts",
    search: "    requestTestEventPush(ports, { tenant, eventUlid, socketsUntil }, now),\n",
    replacement: "",
    killedBy: {
      file: "test/features/realtime/flows/push/every-event-type.test.ts",
      title: "%s is pushed as endpoints get it",
    },
  },
  {
    name: "a profile is not pushed after its lookup died",
    file: "shared/features/inbox/flows/fetch-profile.ts",
    search: "const account = repeated ? await ports.accounts.get(tenant, head.ref.account) : null;",
    replacement: "const account = null;",
    killedBy: {
      file: "test/features/realtime/flows/push/profiles.test.ts",
      title: "a profile that was found is pushed despite a fault (%s) at any call",
    },
  },
  {
    name: "an ended socket is in the list of sockets",
    file: "shared/features/realtime/store/sockets.ts",
    search: "endedAt === null && expiresAt > now",
    replacement: "expiresAt > now",
    killedBy: {
      file: pushEvents,
      title: "a socket of another tenant gets nothing, nor does one that is being closed or whose time is over",
    },
  },
  {
    name: "a socket whose time is over is in the list of sockets",
    file: "shared/features/realtime/store/sockets.ts",
    search: "endedAt === null && expiresAt > now",
    replacement: "endedAt === null",
    killedBy: {
      file: pushEvents,
      title: "a socket of another tenant gets nothing, nor does one that is being closed or whose time is over",
    },
  },
  {
    name: "an event is pushed to a socket before its first frame",
    file: greet,
    search: "  if (greetedAt !== null) return Promise.resolve(true);",
    replacement: "  if (connectionId) return Promise.resolve(true);",
    killedBy: { file: hello, title: "a socket gets its first frame once, and before any other" },
  },
  {
    name: "a first frame is sent before every reader sees the socket",
    file: greet,
    search: "const isOverdue = now() >= connectedAt + HELLO_OVERDUE_AFTER;",
    replacement: "const isOverdue = true;",
    killedBy: {
      file: hello,
      title: "a socket whose first frame is not due gets an event after it, which the other sockets get once",
    },
  },
  {
    name: "a first frame that the list of sockets does not show yet is not looked up",
    file: greet,
    search: "    : wasGreeted(ports, tenant, connectionId);",
    replacement: "    : Promise.resolve(false);",
    killedBy: {
      file: hello,
      title: "an event is pushed at once where only the list does not show the first frame yet",
    },
  },
  {
    name: "a first frame does not wait for the marks of the accounts",
    file: greet,
    search: `if (await markAccounts(ports, { tenant, socket }, now)) return "marked";`,
    replacement: "await markAccounts(ports, { tenant, socket }, now);",
    killedBy: {
      file: hello,
      title: "the first frame follows two seconds after the accounts are marked, and says when the connection ends",
    },
  },
  {
    name: "an event that finds a socket without its first frame is not pushed again",
    file: postFrames,
    search: "run.awaited.add(socket.connectionId);",
    replacement: "run.now();",
    killedBy: {
      file: hello,
      title: "a socket whose first frame is not due gets an event after it, which the other sockets get once",
    },
  },
  {
    name: "a connection that is gone keeps its row",
    file: postFrames,
    search: `if (result === "gone") gone.add(socket);`,
    replacement: "",
    killedBy: {
      file: pushEvents,
      title: "a connection that is gone loses its row, but a young one may only not stand yet",
    },
  },
  {
    name: "a connection in its handshake loses its row",
    file: postFrames,
    search: "connectedAt <= now - HANDSHAKE_MAX",
    replacement: "connectedAt <= now",
    killedBy: {
      file: pushEvents,
      title: "a connection that is gone loses its row, but a young one may only not stand yet",
    },
  },
  {
    name: "a failed post is not repeated",
    file: postFrames,
    search: "  if (failures.length > 0) throw failures[0];\n",
    replacement: "",
    killedBy: {
      file: pushEvents,
      title: "a management API that fails has the message come again, and the others of the batch are pushed",
    },
  },
  {
    name: "an erasure does not mark the sockets of its tenant",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: "  if (isWatched) await ports.sockets.markErasure(initial.tenant, now);\n",
    replacement: "",
    killedBy: { file: erasure, title: "a read that is behind shows nothing of an erased conversation" },
  },
  {
    name: "the stream does not say that a conversation was erased",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: "    if (isWatched) await requestErasurePush(ports, erasure);\n",
    replacement: "",
    killedBy: { file: erasure, title: "an erased conversation is pushed as erased, and none of its events after it" },
  },
  {
    name: "a frame has another id in each copy",
    file: "shared/features/realtime/flows/push/push-events.ts",
    search: "return deriveUlid(ulidTime(eventUlid), ",
    replacement: "return deriveUlid(ulidTime(eventUlid) + Math.floor(Math.random() * 1e6), ",
    killedBy: { file: pushEvents, title: "an event of a message has frames of the same ids when it is pushed again" },
  },
  {
    name: "a test send is pushed with its conversation",
    file: "shared/features/realtime/flows/push/push-events.ts",
    search: `readable.filter(({ message }) => message.scope === "live").at(-1)`,
    replacement: "readable.at(-1)",
    killedBy: {
      file: pushEvents,
      title:
        "an event of a message of a test key's send is pushed without the conversation, whose head it does not change",
    },
  },
  {
    name: "an event is pushed however late",
    file: "shared/features/realtime/flows/push/push-events.ts",
    search: "if (sentAt <= now - AGE_MAX) {",
    replacement: "if (sentAt <= now - AGE_MAX * 1_000) {",
    killedBy: {
      file: pushEvents,
      title: "an event of a message is dropped with a log line when it waited for more than ten minutes",
    },
  },
];
