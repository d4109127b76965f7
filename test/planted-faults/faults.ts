import { consentFaults } from "./faults/access/consent.ts";
import { accessFaults } from "./faults/access/keys.ts";
import { rotationFaults } from "./faults/access/rotation.ts";
import { sessionFaults } from "./faults/access/sessions.ts";
import { signInFaults } from "./faults/access/sign-in.ts";
import { teamFaults } from "./faults/access/team.ts";
import { connectionFaults } from "./faults/accounts/connections.ts";
import { dataDeletionFaults } from "./faults/accounts/data-deletions.ts";
import { formerLoginFaults } from "./faults/accounts/former-logins.ts";
import { healthCheckFaults } from "./faults/accounts/health-checks.ts";
import { clientFaults } from "./faults/client.ts";
import { deletionFaults } from "./faults/deletion.ts";
import { deliveryFaults } from "./faults/delivery.ts";
import { edgeFaults } from "./faults/edge.ts";
import { endpointsFaults } from "./faults/endpoints.ts";
import { erasureFaults } from "./faults/erasure.ts";
import { holdsFaults } from "./faults/holds.ts";
import { idempotencyFaults } from "./faults/idempotency.ts";
import { inboxFaults } from "./faults/inbox.ts";
import { lateCallsFaults } from "./faults/late-calls.ts";
import { localStackFaults } from "./faults/local/ports.ts";
import { mailFaults } from "./faults/mail.ts";
import { queuesAndTableFaults } from "./faults/queues-and-table.ts";
import { connectingFaults } from "./faults/realtime/connecting.ts";
import { streamHistoryFaults } from "./faults/realtime/histories.ts";
import { pushingFaults } from "./faults/realtime/pushing.ts";
import { readingFaults } from "./faults/realtime/reading.ts";
import { updatePushFaults } from "./faults/realtime/updates.ts";
import { retentionFaults } from "./faults/retention.ts";
import { sendingFaults } from "./faults/sending.ts";
import { staleConversationsFaults } from "./faults/stale-conversations.ts";
import { staleReadsFaults } from "./faults/stale-reads.ts";
import { textFaults } from "./faults/texts.ts";
import { traceFaults } from "./faults/trace.ts";
import { handOverFaults } from "./faults/uploads/hand-over.ts";
import { uploadRuleFaults } from "./faults/uploads/rules.ts";
import { uploadStorageFaults } from "./faults/uploads/storage.ts";
import { uploadsFaults } from "./faults/uploads/uploads.ts";
import { webhookClientFaults } from "./faults/webhook-client.ts";
import { webhookPartsFaults } from "./faults/webhook-parts.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const plantedFaults: readonly PlantedFault[] = [
  ...accessFaults,
  ...sessionFaults,
  ...signInFaults,
  ...consentFaults,
  ...teamFaults,
  ...connectionFaults,
  ...dataDeletionFaults,
  ...clientFaults,
  ...textFaults,
  ...connectingFaults,
  ...deletionFaults,
  ...deliveryFaults,
  ...edgeFaults,
  ...endpointsFaults,
  ...erasureFaults,
  ...handOverFaults,
  ...holdsFaults,
  ...idempotencyFaults,
  ...inboxFaults,
  ...formerLoginFaults,
  ...healthCheckFaults,
  ...lateCallsFaults,
  ...localStackFaults,
  ...mailFaults,
  ...queuesAndTableFaults,
  ...pushingFaults,
  ...readingFaults,
  ...streamHistoryFaults,
  ...updatePushFaults,
  ...retentionFaults,
  ...rotationFaults,
  ...sendingFaults,
  ...staleConversationsFaults,
  ...staleReadsFaults,
  ...traceFaults,
  ...uploadRuleFaults,
  ...uploadsFaults,
  ...uploadStorageFaults,
  ...webhookClientFaults,
  ...webhookPartsFaults,
];
