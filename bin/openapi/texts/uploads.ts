import type { Texts } from "../describe/texts.ts";

/** Uploads of files. */
export const uploadTexts: Texts = {
  "/v1/attachments/uploads/{upload_id}": "The id of the upload: `upl_` and a ULID.",
  createUpload:
    "Checks the conversation, the kind and the size of a file, and returns a form by which it is posted within 15 minutes. Post each of `fields`, then the file as the field `file`, in one multipart form to `url`. Then finish the upload. A file that is too large is 413 `attachment_too_large`, and one of a kind that the platform does not take 415 `unsupported_media_type`.",
  CreateUploadRequest: "The body of `createUpload`: the conversation, and what the file is.",
  "CreateUploadRequest.conversation_id":
    "The conversation in which the file will be sent. It decides which files the platform takes.",
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
  "Upload.attachment.id":
    "What a send takes as `attachment_id`, for 90 days. Of a test key it begins with `mock_att_`.",
  "Upload.size": "The size of the file in bytes.",
  UploadGrant: "The form by which a file is posted.",
  "UploadGrant.id": "The id of the upload, by which it is finished.",
  "UploadGrant.method": "The method of the request: always `POST`.",
  "UploadGrant.expires_at": "Until when the file can be posted, in ISO 8601: 15 minutes from now.",
};
