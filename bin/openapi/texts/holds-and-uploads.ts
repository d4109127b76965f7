import { oneOf, type Texts } from "../describe/texts.ts";

/** Held messages, their check page, and uploads. */
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
  "OutcomeError.detail": "More about the cause, mostly in the platform's words. Null or empty when there is nothing more.",

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
  "HeldMessage.participant_username": "The user name of that person on Instagram. Null on Messenger and until it is known.",
  "HeldMessage.account_handle": "The handle of the account that sends. Null once it is disconnected.",
  "HeldMessage.actor_id": "Who typed the message, as given with it.",
  "HeldMessage.actor_name": "The name of the member who typed it. Null for any other author.",
  "HeldMessage.text": "The text that will be sent. Empty for attachments, and once the hold has ended.",
  "HeldMessage.attachments": "How many attachments will be sent.",
  "HeldMessage.attachment_list": "The attachments that will be sent, in order.",
  "HeldMessage.attachment_list[].url": "The URL of the file. Null for one that was uploaded, which only the platform has.",

  "/v1/attachments/uploads/{upload_id}": "The id of the upload: `upl_` and a ULID.",
  createUpload:
    "Checks the conversation, the kind and the size of a file, and returns a form by which it is posted within 15 minutes. Post each of `fields`, then the file as the field `file`, in one multipart form to `url`. Then finish the upload. A file that is too large is 413 `attachment_too_large`, and one of a kind that the platform does not take 415 `unsupported_media_type`.",
  CreateUploadRequest: "The body of `createUpload`: the conversation, and what the file is.",
  "CreateUploadRequest.conversation_id": "The conversation in which the file will be sent. It decides which files the platform takes.",
  finishUpload:
    "Checks the posted file and hands it over to the platform in the background: poll the upload until it is `ready`. An upload that is finished before its file is posted is 404 `upload_not_found`, and can be finished again. After 413 and 415 the file is deleted: create another upload.",
  "FinishUploadRequest.upload_id": "The id of the upload whose file was posted.",
  getUpload:
    "Returns the state of an upload, for a day from its creation. Poll it every second or two until the status is `ready` or `failed`. An unknown id and one of another tenant are 404 `upload_not_found`.",
  Upload: "A file on its way to a platform.",
  "Upload.id": "The id of the upload: `upl_` and a ULID.",
  "Upload.filename": "The name of the file, as given.",
  "Upload.content_type": "The media type of the file, such as `image/png`.",
  "Upload.attachment": "The file at the platform. Present once the status is `ready`.",
  "Upload.attachment.id": "What a send takes as `attachment_id`, for 90 days. Of a test key it begins with `mock_att_`.",
  "Upload.size": "The size of the file in bytes.",
  UploadGrant: "The form by which a file is posted.",
  "UploadGrant.id": "The id of the upload, by which it is finished.",
  "UploadGrant.method": "The method of the request: always `POST`.",
  "UploadGrant.expires_at": "Until when the file can be posted, in ISO 8601: 15 minutes from now.",
};

/** Counts of messages and deliveries. */
export const statsTexts: Texts = {
  getStats:
    "Returns counts of the current hour and the 24 hours before it, in UTC. Live messages are counted in the hour they were stored, deliveries in the hour they reached their status. A replay does not reduce a count. Messages and deliveries of test keys are not counted.",
  "getStats?series": oneOf("Whether `series` is returned.", { hour: "With the counts of each hour." }),
  "GetStatsData.messages_24h": "How many live messages were stored, in every direction.",
  "GetStatsData.dlq_total": "The sum of `dlq` over the endpoints.",
  "GetStatsData.window_hours": "How many full hours the counts cover, beside the current one.",
  "GetStatsData.endpoints": "A row for every endpoint that is not deleted.",
  "GetStatsData.series": "The counts of each of the 25 hours, the earliest first. Only with `series=hour`.",
  StatsEndpoint: "How the deliveries of an endpoint ended.",
  "StatsEndpoint.endpoint_id": "The id of the webhook endpoint.",
  "StatsEndpoint.delivered": "How many deliveries succeeded.",
  "StatsEndpoint.failed": "How many deliveries became `failed` or `blocked`.",
  "StatsEndpoint.dlq": "How many deliveries became `dlq`, after ten failed attempts.",
  StatsHour: "The counts of one hour.",
  "StatsHour.starts_at": "When the hour starts, in ISO 8601 and UTC.",
  "StatsHour.received": "How many live inbound messages were stored in the hour.",
  "StatsHour.sent": "How many live messages of the account were stored, from the API and other apps.",
  "StatsHour.answers.within_5_minutes": "Answers within 5 minutes of the first message that waited.",
  "StatsHour.answers.within_15_minutes": "Answers after 5 to 15 minutes.",
  "StatsHour.answers.within_1_hour": "Answers after 15 minutes to 1 hour.",
  "StatsHour.answers.within_4_hours": "Answers after 1 to 4 hours.",
  "StatsHour.answers.within_24_hours": "Answers after 4 to 24 hours.",
  "StatsHour.answers.later": "Answers after more than 24 hours.",
  "StatsHour.endpoints": "A row for each endpoint that had deliveries in the hour.",
};
