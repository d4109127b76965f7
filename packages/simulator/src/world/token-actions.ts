/** What happens to tokens, with the subcode of error 190 that follows. */
export const revocations: Record<string, number> = { revoke: 460, checkpoint: 459, remove_app: 458 };
export const tokenActions = ["expire", "restore", ...Object.keys(revocations)] as const;
