import { type Data, HttpClient, ParleyError } from "#client";

/** The signed-in person. */
export type Session = Data<"GET /console/me">;

/** Reads the session of this browser. "none" when there is none, null when the answer is unknown. */
export async function readSession(): Promise<Session | "none" | null> {
  try {
    return await new HttpClient({ maxRetries: 1 }).request("GET /console/me");
  } catch (error) {
    return isSignedOut(error) ? "none" : null;
  }
}

/** Ends every session of the person. @returns whether this browser has no session any longer */
export async function endSessions({ csrf_token }: Session): Promise<boolean> {
  try {
    await new HttpClient({ csrfToken: csrf_token }).request("POST /console/auth/logout");
    return true;
  } catch (error) {
    return isSignedOut(error);
  }
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 401;
}
