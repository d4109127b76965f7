import type { Data, Delivery } from "#client";
import type { Tone } from "../../admin/tones.ts";
import { texts } from "../texts.ts";

export type DeliveryDetail = Data<"GET /v1/webhooks/{id}/deliveries/{deliveryId}">["delivery"];
export type DeliveryStatus = Delivery["status"];
type Attempt = DeliveryDetail["attempts"][number];

export const statuses = Object.keys(texts.statuses) as readonly DeliveryStatus[];
/** All but what was delivered. */
export const undelivered: readonly DeliveryStatus[] = statuses.filter((status) => status !== "delivered");
/** What has ended without success, and can be sent again. */
export const replayable = ["dlq", "failed", "blocked"] as const satisfies readonly DeliveryStatus[];

const tones: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: "warn",
  attempting: "warn",
  retrying: "warn",
  delivered: "ok",
  failed: "bad",
  blocked: "off",
  dlq: "bad",
};

export function deliveryState(status: DeliveryStatus): { readonly tone: Tone; readonly words: string } {
  return { tone: tones[status] ?? "off", words: texts.statuses[status] ?? status };
}

/** Whether its attempts go on by themselves, so that it cannot be sent again. */
export function isUnderWay(status: DeliveryStatus): boolean {
  return status === "pending" || status === "attempting" || status === "retrying";
}

/** What an attempt ended with: the status of the answer, or why there was none; empty where neither is known. */
export function answerWords(status: number | null, error: Attempt["error"]): string {
  if (error === null || error === "status") return status === null ? "" : String(status);
  const words = texts.errors[error] ?? error;
  return status === null ? words : `${status}, ${words}`;
}

const number = new Intl.NumberFormat();

/** How long an attempt took: `15,000 ms`; a dash where it is not known. */
export function durationWords(milliseconds: number | null): string {
  return milliseconds === null ? "–" : texts.milliseconds(number.format(milliseconds));
}

/** Whether an attempt reached its receiver and was accepted. */
export function isSuccess({ status, error }: Attempt): boolean {
  return error === null && status !== null && status >= 200 && status < 300;
}
