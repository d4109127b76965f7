import type { ControlToken } from "#loopback/control-token.ts";

/** The control token of a simulator in the test's process. */
export const testControlToken: ControlToken = { value: "control-token-of-tests", location: "It is in the test." };

/** The header of a call to a control route. Default: that of the test's simulator. */
export function controlHeaders(token = testControlToken.value): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
