import type { IntakePorts } from "#features/inbox/ports.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import type { AppParts } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";

/** Takes the platforms' webhooks. It can do nothing but verify a signature and hand bytes to the inbound queue. */
export const intakeApp = (ports: IntakePorts): AppParts<IntakePorts> => ({
  endpoints: intakeRoutes,
  ports,
  credentials: noCredentials,
});
