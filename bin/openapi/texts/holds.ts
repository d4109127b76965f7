import type { Texts } from "../describe/texts.ts";

/** Held messages, and the requests of their check page. */
export const holdTexts: Texts = {
  "/v1/messages/holds/{hold_id}": "The id of the held message: `hold_` and a ULID.",
  "/verify/holds/{hold_id}": "The id of the held message, from the query of `verify_url`.",

  getHold:
    "Returns the state of a held message, for 30 minutes from its creation. Then, and for an id of another tenant, it is 404 `hold_not_found`.",
  Hold: "A message of a named person that waits for the author's check. Its text is not readable with an API key.",
  "Hold.id": "The id of the held message: `hold_` and a ULID.",
  "Hold.created_at": "When the message was held, in ISO 8601 and UTC.",
  "Hold.expires_at": "Until when the check can be passed, in ISO 8601: 15 minutes, and never beyond the 7-day window.",
  "Hold.verify_url":
    "The URL of the check page, with a secret after `#t=`. Only the response that created the hold has it. Show it to the author alone.",
  "Hold.platform_message_id": "The platform's id of the sent message. Present once the status is `sent`.",
  EndedHold: "A held message that can no longer be sent, without its text.",
  "EndedHold.id": "The id of the held message: `hold_` and a ULID.",
  "EndedHold.test": "`true` for a message that a test key created. Absent for any other.",
  OutcomeError: "Why something that was accepted failed afterwards. Its codes are those of `error` in a response.",
  "OutcomeError.code": "What went wrong, for programs, such as `send_failed`.",
  "OutcomeError.message": "What is wrong and how to fix it, for people.",
  "OutcomeError.detail":
    "More about the cause, mostly in the platform's words. Null or empty when there is nothing more.",

  getHeldMessage:
    "Returns what the check page shows. It takes the hold's secret instead of a key. A wrong secret, an unknown hold and one after its 30 minutes are the same 404 `hold_not_found`. One that was sent, failed or expired is 409 `hold_expired`. 30 wrong secrets or solutions from a network address in 5 minutes: 429 with `Retry-After`.",
  createChallenge:
    "Returns puzzles for the browser, in the format of Cap. Their solutions raise the cost of scripted sending; they prove no person. A challenge is bound to the hold and works once, for 10 minutes or until the hold expires. At most 10 for a hold in 5 minutes: 429 with `Retry-After`.",
  "CreateChallengeData.challenge": "The size of the challenge, from which the browser derives its puzzles.",
  "CreateChallengeData.challenge.c": "How many puzzles there are to solve.",
  "CreateChallengeData.challenge.s": "The length of the salt of each puzzle, in characters.",
  "CreateChallengeData.challenge.d": "The difficulty: how many hexadecimal digits of each hash are given.",
  "CreateChallengeData.token": "What identifies the challenge. Send it back with the solutions.",
  "CreateChallengeData.expires": "When the challenge ends, in epoch milliseconds.",
  completeCheck:
    "Checks the solutions and sends the held message, once. It waits up to 10 seconds for the platform: the status is then `sent` or `failed`, else `sending`. Wrong solutions, and a token that has expired or is of another hold, are 400 `invalid_request` with `invalid_solutions`, `challenge_expired` or `invalid_token` in `detail`: take a new challenge. A hold that was sent, failed or expired is 409 `hold_expired`.",
  CompleteCheckRequest: "The body of `completeCheck`: the secret of the hold, a challenge and its solutions.",
  "CompleteCheckRequest.secret": "The part of `verify_url` after `#t=`.",
  "CompleteCheckRequest.token": "The `token` of the challenge that was solved.",
  "CompleteCheckRequest.solutions": "The solution of each puzzle, in their order.",

  HeldMessage: "A held message as its check page shows it.",
  "HeldMessage.expires_at": "Until when the check can be passed, in ISO 8601.",
  "HeldMessage.display_name": "The name of the person to whom the message goes.",
  "HeldMessage.participant_username":
    "The user name of that person on Instagram. Null on Messenger and until it is known.",
  "HeldMessage.account_handle": "The handle of the account that sends. Null once it is disconnected.",
  "HeldMessage.actor_id": "Who typed the message, as given with it.",
  "HeldMessage.actor_name": "The name of the member who typed it. Null for any other author.",
  "HeldMessage.text": "The text that will be sent. Empty for attachments, and once the hold has ended.",
  "HeldMessage.attachments": "How many attachments will be sent.",
  "HeldMessage.attachment_list": "The attachments that will be sent, in order.",
  "HeldMessage.attachment_list[].url":
    "The URL of the file. Null for one that was uploaded, which only the platform has.",
};
