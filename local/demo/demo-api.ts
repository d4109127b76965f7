/** A caller of the API: its key, or the cookies and the CSRF token of a session. */
export type Caller = { readonly key: string } | { readonly cookies: string; readonly csrfToken: string };

interface ApiAnswer<Data> {
  readonly status: number;
  /** Absent in a failure. */
  readonly data?: Data;
  readonly code?: string;
}

export interface DemoApi {
  /** Sends one request. Does not throw for a failure of the API. */
  ask<Data>(caller: Caller, method: string, path: string, body?: object): Promise<ApiAnswer<Data>>;
  /** The same. Throws unless it succeeds. */
  call<Data>(caller: Caller, method: string, path: string, body?: object): Promise<Data>;
  /** Opens a sign-in link and returns the session. */
  signIn(link: string): Promise<Caller>;
  /** A control route of the simulator. Throws unless it answers 200. */
  simulate<Data>(route: string, body?: object): Promise<Data>;
}

export interface DemoAddresses {
  readonly baseUrl: string;
  readonly simulatorUrl: string;
  readonly controlToken: string;
}

/** The public interfaces of a running stack, as programs and browsers call them. */
export function openDemoApi({ baseUrl, simulatorUrl, controlToken }: DemoAddresses): DemoApi {
  async function ask<Data>(caller: Caller, method: string, path: string, body?: object): Promise<ApiAnswer<Data>> {
    const credentials: Record<string, string> =
      "key" in caller
        ? { authorization: `Bearer ${caller.key}` }
        : { cookie: caller.cookies, "x-csrf-token": caller.csrfToken };
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...credentials, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { data, error } = (await response.json()) as { data?: Data; error?: { code: string } };
    return { status: response.status, ...(data ? { data } : {}), ...(error ? { code: error.code } : {}) };
  }

  async function call<Data>(caller: Caller, method: string, path: string, body?: object): Promise<Data> {
    const { status, data, code } = await ask<Data>(caller, method, path, body);
    if (data === undefined) throw new Error(`${method} ${path} answered ${status} ${code}.`);
    return data;
  }

  return {
    ask,
    call,
    async signIn(link) {
      const { origin, pathname, searchParams } = new URL(link);
      const response = await fetch(origin + pathname, {
        method: "POST",
        redirect: "manual",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token: searchParams.get("token") ?? "" }).toString(),
      });
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
      const session = { cookies: cookies.join("; "), csrfToken: "" };
      const { csrf_token: csrfToken } = await call<{ csrf_token: string }>(session, "GET", "/console/me");
      return { ...session, csrfToken };
    },
    async simulate<Data>(route: string, body?: object): Promise<Data> {
      const response = await fetch(`${simulatorUrl}/_sim/${route}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`The simulator answered ${response.status} to ${route}: ${text}`);
      return JSON.parse(text) as Data;
    },
  };
}
