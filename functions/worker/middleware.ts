import middy, { type MiddlewareObj } from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Log } from "#base/aws/log.ts";
import { runInvocation } from "#base/kernel/call-scope.ts";
import { type Deadline, OutOfTime, startDeadline } from "#base/kernel/deadline.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";

/** What still may happen before the function's time-out, by the time that is left. */
const timeLimits = {
  /** Less: no new page of work starts. A slow page takes some seconds. */
  page: 15 * SECOND,
  /** Less: a queue worker reports its unfinished records. They are received again. */
  report: 3 * SECOND,
  /** Less: the invocation fails with a named error. Lambda's own time-out has none. */
  fail: SECOND,
} as const satisfies Record<string, Millis>;

export interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** An invocation with what the middleware adds. */
export interface WorkerContext extends Invocation {
  /** Reached when unfinished records must be reported. */
  readonly deadline: Deadline;
  /** Whether another page of work may start. */
  readonly hasTime: () => boolean;
}

/** How the records of a batch ended. */
export interface BatchReport {
  readonly records: number;
  readonly done: number;
  readonly dropped: number;
  readonly retried: number;
  /** The message ids of the retried records. */
  readonly failures: readonly string[];
}

export type WorkerHandler<Event, Result> = (event: Event, invocation: Invocation) => Promise<Result>;
type Work<Event, Result> = (event: Event, context: WorkerContext) => Promise<Result>;
type MiddlewareContext = Context & { -readonly [Name in keyof WorkerContext]?: WorkerContext[Name] };
type Middleware = MiddlewareObj<unknown, unknown, Error, MiddlewareContext & Invocation & { startedAt?: number }>;

/** The entry of a worker behind a queue. */
export function queueWorker(
  worker: string,
  log: Log,
  work: Work<SQSEvent, BatchReport>,
): WorkerHandler<SQSEvent, SQSBatchResponse> {
  return withMiddleware(work, [toBatchResponse, logCompletion(worker, log), logFault(worker, log), deadline]);
}

/** The entry of a worker that a schedule starts. */
export function scheduleWorker(worker: string, log: Log, work: Work<unknown, void>): WorkerHandler<unknown, void> {
  return withMiddleware(work, [logCompletion(worker, log), logFault(worker, log), deadline]);
}

/** The middleware runs in order before the work, and in reverse order after it. */
function withMiddleware<Event, Result, Response>(
  work: Work<Event, Result>,
  middleware: Middleware[],
): WorkerHandler<Event, Response> {
  const handler = middy((event: Event, context: Context) => work(event, context as Context & WorkerContext), {
    timeoutEarlyInMillis: timeLimits.fail,
    timeoutEarlyResponse: () => {
      throw new OutOfTime("The worker did not end in time.");
    },
  });
  handler.use(middleware as never);
  const invoke = handler as unknown as WorkerHandler<Event, Response>;
  return (event, invocation) => runInvocation(() => invoke(event, invocation));
}

const deadline: Middleware = {
  before: ({ context }) => {
    context.deadline = startDeadline(context.getRemainingTimeInMillis() - timeLimits.report);
    context.hasTime = () => context.getRemainingTimeInMillis() > timeLimits.page;
  },
  after: ({ context }) => context.deadline?.cancel(),
  onError: ({ context }) => context.deadline?.cancel(),
};

/** Logs one line per invocation, with the counts of a batch. */
function logCompletion(worker: string, log: Log): Middleware {
  return {
    before: ({ context }) => {
      context.startedAt = performance.now();
    },
    after: ({ context, response }) => {
      const { failures: _, ...counts } = (response as BatchReport | undefined) ?? { failures: [] };
      const duration = performance.now() - (context.startedAt ?? 0);
      log({ event: "worker.completed", worker, ...counts, duration_ms: Math.round(duration) });
    },
  };
}

/** Logs the error of an invocation. Lambda then delivers the event again. */
function logFault(worker: string, log: Log): Middleware {
  return {
    onError: ({ error }) => {
      log({ event: "worker.failed", worker, error: errorClass(error) });
    },
  };
}

const toBatchResponse: Middleware = {
  after: (request) => {
    const { failures } = request.response as BatchReport;
    const batchItemFailures = failures.map((itemIdentifier) => ({ itemIdentifier }));
    request.response = { batchItemFailures } satisfies SQSBatchResponse;
  },
};
