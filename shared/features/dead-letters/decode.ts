import { decodeMail, type MailMessage } from "#features/access/queue.ts";
import { type AccountMessage, decodeAccountTask } from "#features/accounts/queue.ts";
import { decodeEvent, type EventMessage } from "#features/delivery/event-queue.ts";
import { type DeliveriesMessage, decodeDeliveries } from "#features/delivery/queue.ts";
import { decodeErasure, type ErasureMessage } from "#features/erasure/queue.ts";
import { decodeProfile, type ProfileMessage } from "#features/inbox/profile-queue.ts";
import { decodeInbound, type InboundMessage } from "#features/inbox/queue.ts";
import { decodeRealtime, type RealtimeMessage } from "#features/realtime/queue.ts";
import { decodeUpload, type UploadMessage } from "#features/uploads/queue.ts";
import type { QuarantinedMessage } from "./store/quarantine.ts";

/** A dead letter as the worker of its queue reads it. */
export type DecodedMessage =
  | { readonly kind: "webhook"; readonly webhook: InboundMessage }
  | { readonly kind: "event"; readonly event: EventMessage }
  | DeliveriesMessage
  | { readonly kind: "profile"; readonly profile: ProfileMessage }
  | { readonly kind: "erasure"; readonly erasure: ErasureMessage }
  | { readonly kind: "mail"; readonly mail: MailMessage }
  | { readonly kind: "upload"; readonly upload: UploadMessage }
  | { readonly kind: "account_task"; readonly accountTask: AccountMessage }
  | { readonly kind: "realtime"; readonly realtime: RealtimeMessage }
  /** This version cannot read it, or it is truncated. */
  | { readonly kind: "unreadable" };

/** The tenant whose work a dead letter is, from its body or its group; null when it names none. */
export function deadLetterTenant(letter: Pick<QuarantinedMessage, "queue" | "body" | "cut" | "group">): string | null {
  const message = decodeDeadLetter(letter);
  switch (message.kind) {
    case "event":
      return message.event.tenant;
    case "attempt":
      return message.attempt.tenant;
    case "task":
      return message.task.tenant;
    case "profile":
      return message.profile.tenant;
    case "erasure":
      return message.erasure.tenant;
    case "mail":
      return message.mail.kind === "sign_in" ? null : message.mail.tenant;
    case "upload":
      return message.upload.tenant;
    case "account_task":
      return message.accountTask.tenant;
    case "realtime":
      return message.realtime.tenant;
    case "webhook":
      return null;
    case "unreadable":
      return letter.group;
  }
}

export function decodeDeadLetter({
  queue,
  body,
  cut,
}: Pick<QuarantinedMessage, "queue" | "body" | "cut">): DecodedMessage {
  const unreadable = { kind: "unreadable" } as const;
  if (cut) return unreadable;
  switch (queue) {
    case "Inbound": {
      const webhook = decodeInbound(body);
      return webhook ? { kind: "webhook", webhook } : unreadable;
    }
    // One worker reads all three queues.
    case "Events":
    case "Deliveries":
    case "SlowDeliveries": {
      const event = decodeEvent(body);
      return event ? { kind: "event", event } : (decodeDeliveries(body) ?? unreadable);
    }
    case "Profiles": {
      const profile = decodeProfile(body);
      return profile ? { kind: "profile", profile } : unreadable;
    }
    case "Erasures": {
      const erasure = decodeErasure(body);
      return erasure ? { kind: "erasure", erasure } : unreadable;
    }
    case "Mails": {
      const mail = decodeMail(body);
      return mail ? { kind: "mail", mail } : unreadable;
    }
    case "Uploads": {
      const upload = decodeUpload(body);
      return upload ? { kind: "upload", upload } : unreadable;
    }
    case "Accounts": {
      const accountTask = decodeAccountTask(body);
      return accountTask ? { kind: "account_task", accountTask } : unreadable;
    }
    case "Realtime": {
      const realtime = decodeRealtime(body);
      return realtime ? { kind: "realtime", realtime } : unreadable;
    }
  }
}
