/** The domains of the partitions, by the start of a region's name. Every other region is of `amazonaws.com`. */
const suffixes = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["us-iso-", "c2s.ic.gov"],
] as const;

/** The domain of AWS's hosts in a region, such as `amazonaws.com`. */
export function dnsSuffix(region: string): string {
  return suffixes.find(([start]) => region.startsWith(start))?.[1] ?? "amazonaws.com";
}

/** The endpoint that the environment sets for a service, such as an emulator's; undefined for AWS's own. */
export function environmentEndpoint(service: string): string | undefined {
  const name = service === "secretsmanager" ? "SECRETS_MANAGER" : service.toUpperCase();
  return process.env[`AWS_ENDPOINT_URL_${name}`] || process.env.AWS_ENDPOINT_URL || undefined;
}
