/** What a worker does with an attempt of a delivery, in this order. */
export type AttemptStage = "prepare" | "call" | "record" | "follow_up";

const failedStages = new WeakMap<object, AttemptStage>();

/** Waits for the work of a stage. @throws its error, unchanged, of which `failedStage` then knows the stage */
export async function atStage<T>(stage: AttemptStage, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && !failedStages.has(error)) failedStages.set(error, stage);
    throw error;
  }
}

/** The stage in which an error was thrown first; undefined where no stage threw it. */
export function failedStage(error: unknown): AttemptStage | undefined {
  return error instanceof Error ? failedStages.get(error) : undefined;
}
