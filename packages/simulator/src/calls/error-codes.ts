import { GraphError } from "./error-messages.ts";

// The platforms' messages by `code` or `code/subcode`. Any other pair gets a generic message.
const errorMessages: Record<string, string> = {
  "1": "An unknown error has occurred.",
  "2": "Service temporarily unavailable",
  "3": "(#3) Application does not have the capability to make this API call.",
  "4": "(#4) Application request limit reached",
  "10": "(#10) Application does not have permission for this action",
  "10/2018065": "(#10) This message is sent outside of allowed window.",
  "10/2018108": "(#10) This person isn't receiving messages from you right now.",
  "10/2018278": "(#10) This message is sent outside of allowed window.",
  "10/2534022": "(#10) This message is sent outside of allowed window.",
  "10/2534077": "(#10) Access to messages is switched off in the settings of the Instagram account",
  "17": "(#17) User request limit reached",
  "32": "(#32) Page request limit reached",
  "100/2018001": "(#100) No matching user found",
  "100/2018008": "(#100) Failed to fetch the file from the url",
  "100/2018047": "(#100) Upload attachment failure: the type of the file does not match",
  "100/2018074": "(#100) The attachment ID is invalid or you do not own the attachment",
  "100/2018109": "(#100) Attachment size exceeds allowable limit",
  "100/2018294": "(#100) Video upload timed out",
  "100/2534013": "(#100) The Instagram account is not linked to the Page",
  "100/2534014": "The requested user cannot be found.",
  "100/2534029": "(#100) This account is restricted from sending messages",
  "100/2534037": "(#100) The thread is controlled by another app",
  "190/458": "Error validating access token: The user has not authorized the application.",
  "190/459": "Error validating access token: The user is in a checkpoint and must log in.",
  "190/460": "Error validating access token: The session has been invalidated because the user changed their password.",
  "190/463": "Error validating access token: Session has expired.",
  "190/464": "Error validating access token: The user is not confirmed.",
  "190/467": "Error validating access token: The access token is invalid.",
  "200": "(#200) Requires pages_messaging permission to manage the object",
  "200/2018028":
    "(#200) Cannot message users who are not admins, developers or testers of the app until pages_messaging permission is reviewed and the app is live.",
  "200/1545041": "(#200) This person isn't available right now.",
  "200/2534041": "(#200) Access to messages is disabled for this app",
  "230": "(#230) User consent is required to access user profile",
  "551": "(#551) This person isn't available right now.",
  "551/1545041": "(#551) This person isn't available right now.",
  "613": "(#613) Calls to this api have exceeded the rate limit.",
  "613/2018338": "(#613) Messages with this tag to this person were reported as bothersome or abusive.",
  "1200": "(#1200) Temporary send message failure. Please try again later.",
  "2022": "(#2022) The account is temporarily blocked from sending messages",
  "2018300": "(#2018300) Another app is controlling this thread now",
};

/** Codes that the platform marks as transient. */
const transient: ReadonlySet<number> = new Set([1, 2, 1200]);

/** The platforms' error of a code, with its own message. */
export function codedError(code: number, subcode?: number, status = 400): GraphError {
  const text = errorMessages[subcode === undefined ? `${code}` : `${code}/${subcode}`] ?? errorMessages[code];
  return new GraphError({
    message: text ?? `(#${code}) The platform refuses the call`,
    code,
    ...(subcode === undefined ? {} : { subcode }),
    status,
    ...(transient.has(code) ? { transient: true } : {}),
  });
}
