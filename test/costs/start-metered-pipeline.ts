import { type Pipeline, startPipeline } from "../support/pipeline.ts";
import { startFlowTable } from "../support/world/flow-table.ts";

type Options = Pick<NonNullable<Parameters<typeof startPipeline>[0]>, "webhookClient">;

/** A pipeline with a meter, whose table is in the process. In `npm run test:full` it is one of the engine. */
export function startMeteredPipeline(options: Options = {}): Promise<Pipeline> {
  return startPipeline({ ...options, startTable: startFlowTable });
}
