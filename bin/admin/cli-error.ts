/** A wish that cannot be granted, told in one line. */
export class CliError extends Error {}
