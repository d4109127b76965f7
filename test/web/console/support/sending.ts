import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { iso } from "#base/kernel/time.ts";
import { checkSolutions, newChallenge } from "#features/holds/rules/proof-of-work.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { withEasyPuzzles } from "../../support/check-page-server.ts";
import { type ApiAnswer, type ApiRequest, ok, refusal } from "./answers.ts";
import type { Correspondences } from "./correspondences.ts";
import { type Frame, frame } from "./frames.ts";
import { ME } from "./people.ts";

interface ModelHold {
  readonly id: string;
  readonly secret: string;
  readonly conversation: string;
  readonly text: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  status: "awaiting_verification" | "sent";
  messageId: string | null;
}

/** Refusals that are stored with their key. */
const stored: ReadonlySet<string> = new Set(["window_closed", "send_failed", "human_agent_unavailable"]);

/** Replies, held messages and their check. The same key and body get the first answer, also a stored refusal. */
export class Sending {
  /** Refuses the next send in the platform's words. */
  platformRefusal: string | null = null;
  readonly #inbox: Correspondences;
  readonly #emit: (frame: Frame) => void;
  readonly #keys = oneKeyRing(randomToken(32));
  readonly #answers = new Map<string, { readonly body: string; readonly answer: ApiAnswer }>();
  readonly #holds = new Map<string, ModelHold>();

  constructor(inbox: Correspondences, emit: (frame: Frame) => void) {
    this.#inbox = inbox;
    this.#emit = emit;
  }

  reply(request: ApiRequest): ApiAnswer {
    return this.#once(request, (id, text) => {
      if (!this.#inbox.conversation(id).can_reply) return refusal(409, "window_closed");
      if (this.platformRefusal !== null) {
        const detail = this.platformRefusal;
        this.platformRefusal = null;
        return refusal(502, "send_failed", detail);
      }
      const { id: messageId } = this.#inbox.write(id, "me", { text, more: filesOf(request.body) });
      return ok({ platform_message_id: messageId });
    });
  }

  hold(request: ApiRequest): ApiAnswer {
    return this.#once(request, (id, text) => {
      if (!this.#inbox.conversation(id).can_send_as_human_agent) return refusal(409, "human_agent_unavailable");
      const at = this.#inbox.now();
      const hold: ModelHold = {
        id: `hold_${newUlid(at)}`,
        secret: randomToken(32).toString("base64url"),
        conversation: id,
        text,
        createdAt: at,
        expiresAt: at + 15 * 60_000,
        status: "awaiting_verification",
        messageId: null,
      };
      this.#holds.set(hold.id, hold);
      this.#emit(frame("hold.updated", { hold: toHold(hold) }, at));
      const verify_url = `https://parley.example.com/verify?hold=${hold.id}#t=${hold.secret}`;
      return ok({ hold: { ...toHold(hold), verify_url } }, 202);
    });
  }

  getHold(id: string): ApiAnswer {
    const hold = this.#holds.get(id);
    return hold ? ok({ hold: toHold(hold) }) : refusal(404, "hold_not_found");
  }

  /** The three calls of a check. @param step empty, `challenge` or `complete` */
  check(holdId: string, step: string, body: ApiRequest["body"]): ApiAnswer {
    const hold = this.#holds.get(holdId);
    if (!hold || body.secret !== hold.secret) return refusal(404, "hold_not_found");
    const now = this.#inbox.now();
    if (hold.status === "sent" || now >= hold.expiresAt) return refusal(409, "hold_expired");
    if (step === "challenge") {
      const terms = { holdId, scope: "test", nonce: randomToken(16), now, holdExpiresAt: hold.expiresAt } as const;
      return ok(withEasyPuzzles(newChallenge(terms, this.#keys), this.#keys.current.key));
    }
    if (step === "complete") {
      const { token, solutions } = body as { token: string; solutions: number[] };
      const verdict = checkSolutions({ holdId, token, solutions, now }, this.#keys);
      if (verdict !== "ok") return refusal(400, "invalid_request", verdict);
      const more = { sent_via: "api_human_agent" } as const;
      hold.messageId = this.#inbox.write(hold.conversation, "me", { text: hold.text, more }).id;
      hold.status = "sent";
      this.#emit(frame("hold.updated", { hold: toHold(hold) }, now));
    }
    return ok({ hold: this.#shown(hold) });
  }

  #once({ path, body, headers }: ApiRequest, send: (id: string, text: string) => ApiAnswer): ApiAnswer {
    const key = headers["idempotency-key"];
    const text = JSON.stringify([path, body]);
    const earlier = key === undefined ? undefined : this.#answers.get(key);
    if (earlier) return earlier.body === text ? earlier.answer : refusal(409, "idempotency_conflict");
    const id = String(body.conversation_id);
    if (!this.#inbox.all.has(id)) return refusal(404, "conversation_not_found");
    const answer = send(id, String(body.text ?? ""));
    const { error } = answer.body as { error?: { code: string } };
    if (key !== undefined && (error === undefined || stored.has(error.code)))
      this.#answers.set(key, { body: text, answer });
    return answer;
  }

  #shown(hold: ModelHold) {
    const conversation = this.#inbox.conversation(hold.conversation);
    return {
      id: hold.id,
      status: hold.status,
      platform: conversation.platform,
      expires_at: iso(hold.expiresAt),
      display_name: conversation.participant_name ?? "",
      participant_username: conversation.participant_username,
      account_handle: conversation.account_handle,
      actor_id: ME.actorId,
      actor_name: "Mara",
      text: hold.text,
      attachments: 0,
      attachment_list: [],
    };
  }
}

function toHold({ id, status, conversation, createdAt, expiresAt, messageId }: ModelHold) {
  return {
    id,
    status,
    conversation_id: conversation,
    created_at: iso(createdAt),
    expires_at: iso(expiresAt),
    ...(messageId === null ? {} : { platform_message_id: messageId }),
  };
}

function filesOf({ attachments }: ApiRequest["body"]) {
  if (!Array.isArray(attachments)) return {};
  return { attachments: attachments.map(({ type }) => ({ type, url: null, title: null, coordinates: null })) };
}
