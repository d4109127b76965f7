/** An error of the user. Its message is printed without a stack trace. */
export class CliError extends Error {}
