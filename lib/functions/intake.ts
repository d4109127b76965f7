import type { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { type FunctionContext, queueVariables, rawBucketVariables } from "./function-context.ts";

/** Receives the platforms' webhooks. */
export function createIntake(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, settings, code } = context;
  const intake = new NodeFunction(scope, "Intake", {
    description: "Parley: receives the platforms' webhooks",
    code: code("Intake"),
    memoryMegabytes: 256,
    // Its own environments: no other function can consume what the platforms' webhooks need.
    ...(settings.intakeReservedConcurrency === null ? {} : { reservedConcurrency: settings.intakeReservedConcurrency }),
    environment: {
      ...rawBucketVariables(context),
      ...queueVariables(context, "Inbound"),
      [env.platformSecretId]: data.secrets.platforms.secretArn,
    },
  });
  queues.Inbound.allowSending(intake.functionRole);
  data.raw.allow(intake.functionRole, "inbound/", "PutObject");
  allowReading(data.secrets.platforms, intake.functionRole);
  return intake;
}
