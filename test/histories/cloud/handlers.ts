import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, SQSBatchResponse } from "aws-lambda";
import { clockNow } from "#base/kernel/time.ts";
import { connectAccount, type NewConnection } from "#features/accounts/flows/connect.ts";
import type { AppParts } from "#http/app.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { accountsWorker } from "../../../functions/accounts/worker.ts";
import { apiApp } from "../../../functions/api/app.ts";
import { checkPageApp } from "../../../functions/check-page/app.ts";
import { connectApp } from "../../../functions/connect/app.ts";
import { consoleApp } from "../../../functions/console/app.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { eraseWorker } from "../../../functions/erase/worker.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { intakeApp } from "../../../functions/intake/app.ts";
import { mailWorker } from "../../../functions/mail/worker.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { pushWorker } from "../../../functions/push/worker.ts";
import { type SocketResult, socketHandler } from "../../../functions/realtime/routes.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { createApp } from "../../support/conformance/observed-app.ts";
import type { FunctionName } from "./functions.ts";
import type { ProcessPorts } from "./ports.ts";

export interface Invocation {
  getRemainingTimeInMillis(): number;
}

export type HttpEvent = APIGatewayProxyEventV2;
export type HttpResult = APIGatewayProxyStructuredResultV2;
/** A login that was completed: what connects the account after it. */
export interface CompletedLogin {
  readonly connection: NewConnection;
}

/** A function's handler. Its event and result are those of its trigger. */
export type Handler = (
  event: never,
  invocation: Invocation,
) => Promise<HttpResult | SQSBatchResponse | SocketResult | undefined>;

/** Loads a function into a process, as its `handler.ts` does. */
export function loadFunction(name: FunctionName, functions: ProcessPorts): Handler {
  const { log } = functions;
  const answering = <P>(app: AppParts<P>) =>
    lambdaHandler(createApp({ ...app, now: clockNow, log, checkData: true }), log);
  const load: Readonly<Record<FunctionName, () => unknown>> = {
    api: () => answering(apiApp(functions.api())),
    checkPage: () => answering(checkPageApp(functions["check-page"]())),
    intake: () => answering(intakeApp(functions.intake())),
    ingest: () => ingestWorker(functions.ingest(), clockNow),
    deliver: () => deliverWorker(functions.deliver(), clockNow),
    profile: () => profileWorker(functions.profile(), clockNow),
    erase: () => eraseWorker(functions.erase(), clockNow),
    sweep: () => sweepWorker(functions.sweep(), clockNow),
    console: () => answering(consoleApp(functions.console())),
    connect: () => {
      const receive = answering(connectApp(functions.connect()));
      return async (event: HttpEvent | CompletedLogin, invocation: Invocation) => {
        if (!("connection" in event)) return receive(event, invocation);
        const endsAt = clockNow() + invocation.getRemainingTimeInMillis();
        return connectAccount(functions.connecting(), event.connection, { now: clockNow, endsAt });
      };
    },
    mail: () => mailWorker(functions.mail(), clockNow),
    account: () => accountsWorker(functions.accounts(), clockNow),
    socket: () => socketHandler(functions.realtime(), clockNow),
    push: () => pushWorker(functions.push(), clockNow),
  };
  return load[name]() as Handler;
}
