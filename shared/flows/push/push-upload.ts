import { UPLOAD_PROCESSING_MAX } from "../../domain/limits.ts";
import { isUploadReadable, uploadError, uploadStateAt } from "../../domain/uploads/uploads.ts";
import { uploadUpdatedFrame } from "../../events/realtime.ts";
import { deriveUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { done, drop, type RecordOutcome } from "../record-outcome.ts";
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
