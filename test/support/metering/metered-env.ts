import { afterAll, beforeAll } from "vitest";
import { startTestTable } from "../dynamodb.ts";
import { openTestEnv, type TestEnv, type TestQueues } from "../flows/test-env.ts";
import { attachMeter, type Meter } from "../meter.ts";

interface MeteredEnv {
  readonly testEnv: TestEnv;
  readonly queues: TestQueues;
  readonly meter: Meter;
}

/**
 * Opens an environment for the tests of a file, on an engine, which is what a meter reads, and attaches a meter.
 * @param assign stores them in the variables of the file
 */
export function useMeteredEnv(assign: (opened: MeteredEnv) => void): void {
  let opened: MeteredEnv;
  beforeAll(async () => {
    const testEnv = await openTestEnv({ startTable: startTestTable });
    const meter = attachMeter(testEnv.client, testEnv.table.name);
    opened = { testEnv, queues: await testEnv.newQueues(), meter };
    assign(opened);
  });
  afterAll(async () => {
    opened.meter.close();
    await opened.testEnv.close();
  });
}
