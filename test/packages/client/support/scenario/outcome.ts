import { ParleyError } from "#client";

/** What a call returned, or the code and status of what it threw. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof ParleyError ? { code: error.code, status: error.status } : String(error);
  }
}
