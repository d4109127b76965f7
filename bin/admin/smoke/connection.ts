import { SECOND } from "#base/kernel/time.ts";
import { CliError } from "../cli-error.ts";

const ANSWER_TIMEOUT = 15 * SECOND;

export interface Answer {
  readonly status: number;
  /** `data` of the body; null when there is none. */
  readonly data: unknown;
  /** The code of the error, or the status. */
  readonly problem: string;
}

interface Call {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Calls the API at its public address. @throws CliError when nothing answers */
export async function callApi(url: string, { method = "GET", key, headers = {}, body }: Call = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    ...(body === undefined ? {} : { body }),
  }).catch((error: Error) => {
    const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
    throw new CliError(
      `${new URL(url).origin} does not answer (${code ?? error.name}). Check the address of the deployment.`,
    );
  });
  const json = (await response.json().catch(() => null)) as {
    readonly data?: unknown;
    readonly error?: { readonly code?: unknown };
  } | null;
  const { status } = response;
  const code = json?.error?.code;
  return {
    status,
    data: json?.data ?? null,
    problem: typeof code === "string" ? `${status} ${code.slice(0, 60)}` : `${status}`,
  };
}

/** The data of an answer with the status 200. @throws CliError that names what was refused */
export function requireOk({ status, data, problem }: Answer, subject: string): unknown {
  if (status !== 200) throw new CliError(`${subject} was refused (${problem}).`);
  return data;
}

/** A connection to the stream. */
export interface Stream {
  /** The first frame, also one that came before, that fits. @throws CliError when none comes in time */
  next(name: string, fits: (frame: string) => boolean): Promise<string>;
  close(): void;
}

const FRAME_TIMEOUT = 30 * SECOND;

/** @throws CliError when the handshake fails */
export async function openStream(url: string): Promise<Stream> {
  const socket = new WebSocket(url);
  const frames: string[] = [];
  const listeners = new Set<() => void>();
  let isClosed = false;
  const wake = () => {
    for (const listener of [...listeners]) listener();
  };
  socket.addEventListener("message", ({ data }) => {
    frames.push(String(data));
    wake();
  });
  for (const end of ["close", "error"]) {
    socket.addEventListener(end, () => {
      isClosed = true;
      wake();
    });
  }
  return {
    next: (name, fits) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          listeners.delete(listener);
          finish();
        };
        const fail = (reason: string) =>
          settle(() => reject(new CliError(`The stream ${reason} before the frame ${name}.`)));
        const timer = setTimeout(() => fail(`was silent for ${FRAME_TIMEOUT / SECOND} seconds`), FRAME_TIMEOUT);
        const listener = () => {
          const frame = frames.find(fits);
          if (frame !== undefined) settle(() => resolve(frame));
          else if (isClosed) fail("was closed");
        };
        listeners.add(listener);
        listener();
      }),
    close: () => socket.close(),
  };
}
