import {
  atPlace,
  BadInput,
  type Fields,
  isFields,
  optionalBoolean,
  optionalInteger,
  optionalString,
  refuseUnknownFields,
} from "../http/fields.ts";
import type { ReceiverStep } from "../world/model.ts";

const stepsMax = 50;
const delayMaxMs = 60_000;
const bodyCharsMax = 10_000;
const names = ["status", "delay_ms", "body", "retry_after", "drop", "times"];

const accepted: ReceiverStep = { status: 200, delay_ms: 0, body: "", retry_after: null, drop: false, times: 1 };

/** The field `steps`: what a receiver does with each request, in order. Without it every request is answered with 200. */
export function parseSteps({ steps }: Fields): ReceiverStep[] {
  if (steps === undefined || steps === null) return [{ ...accepted }];
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > stepsMax)
    throw new BadInput(`steps must be a list of 1 to ${stepsMax} steps, such as [{"status": 503, "times": 3}, {}]`);
  return steps.map((step: unknown, at) => atPlace(`steps[${at}]`, () => parseStep(step)));
}

function parseStep(step: unknown): ReceiverStep {
  if (!isFields(step)) throw new BadInput('a step must be an object, such as {"status": 503, "delay_ms": 2000}');
  refuseUnknownFields(step, names);
  const body = optionalString(step, "body") ?? "";
  if (body.length > bodyCharsMax) throw new BadInput(`body is longer than ${bodyCharsMax} characters`);
  return {
    status: optionalInteger(step, "status", 200, 599) ?? accepted.status,
    delay_ms: optionalInteger(step, "delay_ms", 0, delayMaxMs) ?? 0,
    body,
    retry_after: optionalInteger(step, "retry_after", 0, 86_400) ?? null,
    drop: optionalBoolean(step, "drop") ?? false,
    times: optionalInteger(step, "times", 1, 10_000) ?? 1,
  };
}

/** The index of the step that applies after `taken` requests. */
export function stepAt(steps: readonly ReceiverStep[], taken: number): number {
  let end = 0;
  const index = steps.findIndex(({ times }) => {
    end += times;
    return taken < end;
  });
  return index < 0 ? steps.length - 1 : index;
}
