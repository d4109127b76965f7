import { deriveUlid } from "#base/kernel/ids.ts";
import { UPLOAD_PROCESSING_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { isUploadReadable, uploadError, uploadStateAt } from "#features/uploads/rules/uploads.ts";
import { uploadUpdatedFrame } from "../../events.ts";
import { listTargets, type PushRun } from "./batch.ts";
import type { PushPorts } from "./ports.ts";
import { postFrames } from "./post-frames.ts";
import { setTimer } from "./timers.ts";

/** An upload to push. */
interface UploadRef {
  readonly tenant: TenantId;
  readonly uploadId: string;
  /** The ULID of the frame. */
  readonly eventUlid: string;
  /** Only if it ended by time. */
  readonly timer?: boolean;
}

/** Pushes an upload as it is, in any scope, as `GET /v1/attachments/uploads/{upload_id}` shows it. */
export async function pushUpload(
  ports: PushPorts,
  { tenant, uploadId, eventUlid, timer = false }: UploadRef,
  run: PushRun,
): Promise<RecordOutcome> {
  const { sockets } = await listTargets(ports, tenant, run);
  if (sockets.length === 0) return done;
  const now = run.now();
  const stored = await ports.uploads.get(uploadId);
  if (stored?.tenant !== tenant || !isUploadReadable(uploadId, now)) return drop("gone");
  const isOver = uploadStateAt(stored, now).status !== stored.state.status;
  const upload = isOver ? await ports.uploads.lapse(uploadId, uploadError("internal_error"), now) : stored;
  if (!upload) return drop("gone");
  const { state } = upload;
  if (timer && state.status !== "failed") return drop("stale");
  if (state.status === "processing") {
    const endsAt = state.processingAt + UPLOAD_PROCESSING_MAX;
    const timerUlid = deriveUlid(endsAt, uploadId);
    await setTimer(ports, { tenant, kind: "upload", uploadId, eventUlid: timerUlid, timer: true }, endsAt - now);
  }
  await postFrames(
    ports,
    { tenant, sockets, frames: [uploadUpdatedFrame(tenant, { ulid: eventUlid, upload, state })] },
    run,
  );
  return done;
}
