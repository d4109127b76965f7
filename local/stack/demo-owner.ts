/** The email address of the owner of the demo tenant. */
export const DEMO_OWNER = "owner@local.invalid";
