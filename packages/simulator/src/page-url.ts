/**
 * The address of the page with the control token in its fragment. A browser sends no fragment, and the page removes it
 * from the address.
 */
export function simulatorPageUrl(simulatorUrl: string, token: string): string {
  return `${simulatorUrl}/#token=${token}`;
}
