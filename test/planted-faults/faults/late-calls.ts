import type { PlantedFault } from "../planted-fault.ts";

export const lateCallsFaults: readonly PlantedFault[] = [
  {
    name: "late calls: an AWS client begins a call after the answer, and ingest restores an erased message",
    file: "shared/base/kernel/call-scope.ts",
    search: `        requireOpenCallScope();
        return next(args);`,
    replacement: "        return next(args);",
    killedBy: {
      file: "test/functions/ingest/left-work.test.ts",
      title: "a worker that was out of time restores nothing of an erased conversation when it thaws",
    },
  },
  {
    name: "late calls: a worker's scope does not end with its answer",
    file: "functions/worker/middleware.ts",
    search: "runInvocation(() => invoke(event, invocation))",
    replacement: "invoke(event, invocation)",
    killedBy: {
      file: "test/functions/worker/middleware.test.ts",
      title: "a worker behind a schedule begins no call once it has failed for lack of time",
    },
  },
  {
    name: "late calls: the records of a batch begin calls after their deadline",
    file: "functions/worker/batch.ts",
    search: "    calls.end();\n",
    replacement: "",
    killedBy: {
      file: "test/functions/worker/middleware.test.ts",
      title: "a worker behind a queue lets none of its records begin a call between its deadline and its report",
    },
  },
  {
    name: "late calls: a batch does not wait for its calls in progress",
    file: "functions/worker/batch.ts",
    search: "    await lastCalls.reached;\n",
    replacement: "",
    killedBy: {
      file: "test/functions/worker/middleware.test.ts",
      title: "a worker behind a queue reports the outcome of a record whose last call ends within half a second",
    },
  },
  {
    name: "late calls: a request's scope does not end with its response",
    file: "shared/http/app.ts",
    search: "return runInvocation(() => runWithTrace(",
    replacement: "return (async (work: () => Promise<Response>) => work())(() => runWithTrace(",
    killedBy: {
      file: "test/features/sending/routes/deadline.test.ts",
      title: "a reply at the end of its request's time begins no call after the response: %s stands still",
    },
  },
  {
    name: "late calls: the webhook client starts an attempt",
    file: "shared/base/net/webhook-client.ts",
    search: "      requireOpenCallScope();\n",
    replacement: "",
    killedBy: {
      file: "test/base/net/webhook-client-late.test.ts",
      title: "an attempt whose invocation answers first is not made, and its host is not looked up",
    },
  },
  {
    name: "late calls: the webhook client writes on a connection that it waited for",
    file: "shared/base/net/exchange.ts",
    search: "else if (!this.#mayCall())",
    replacement: "else if (!this.#mayCall)",
    killedBy: {
      file: "test/base/net/webhook-client-late.test.ts",
      title:
        "an attempt whose invocation answers first is not made when it waits for a connection, and the next one is",
    },
  },
  {
    name: "late calls: the platform client writes after the answer",
    file: "shared/platforms/api/http.ts",
    search: " || !mayCall()",
    replacement: "",
    killedBy: {
      file: "test/platforms/api/send.test.ts",
      title: "a message that is late does not leave once its invocation has answered",
    },
  },
  {
    name: "late calls: a cached read is awaited although its invocation has ended",
    file: "shared/base/kernel/memo.ts",
    search: " && cached.isUsable()",
    replacement: "",
    killedBy: {
      file: "test/base/kernel/call-scope.test.ts",
      title: "a read that several invocations share is started again when its invocation has ended before it",
    },
  },
];
