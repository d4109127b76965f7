/** The signed-in person. */
export interface Session {
  readonly email: string;
  readonly csrf_token: string;
}

/** Reads the session of this browser. "none" when there is none, null when the answer is unknown. */
export async function readSession(): Promise<Session | "none" | null> {
  const response = await fetch("/console/me").catch(() => null);
  if (response?.status === 401) return "none";
  if (!response?.ok) return null;
  const { data } = (await response.json()) as { readonly data: Session };
  return data;
}

/** Ends every session of the person. @returns whether this browser has no session any longer */
export async function endSessions({ csrf_token }: Session): Promise<boolean> {
  const headers = { "x-csrf-token": csrf_token };
  const response = await fetch("/console/auth/logout", { method: "POST", headers }).catch(() => null);
  return response !== null && (response.ok || response.status === 401);
}
