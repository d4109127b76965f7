import { localStack, stackNotRunning } from "./local-stack.ts";

/**
 * Calls a control route of the local stack or of its simulator, with the control token of its data folder.
 * @throws CliError when no stack with this data folder responds
 */
export async function callControlRoute(url: string, body?: object): Promise<Response> {
  const { control_token: token } = localStack();
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw stackNotRunning();
  });
  // The stack was killed, and another one has its port.
  if (response.status === 401) throw stackNotRunning();
  return response;
}
