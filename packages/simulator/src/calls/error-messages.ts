import { type HttpResponse, json } from "../http/http-server.ts";
import { traceId } from "../world/mids.ts";

interface GraphErrorDetail {
  message: string;
  code: number;
  subcode?: number;
  type?: string;
  status?: number;
  transient?: boolean;
  headers?: Record<string, string>;
}

/** An error of the Graph API, with the body of the real one. */
export class GraphError extends Error {
  readonly detail: GraphErrorDetail;

  constructor(detail: GraphErrorDetail) {
    super(detail.message);
    this.detail = detail;
  }

  toResponse(): HttpResponse {
    const { message, code, subcode, type = "OAuthException", status = 400, transient, headers = {} } = this.detail;
    const error = {
      message,
      type,
      ...(transient === undefined ? {} : { is_transient: transient }),
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      fbtrace_id: traceId(),
    };
    return json(status, { error }, { "Facebook-API-Version": "v26.0", ...headers });
  }
}

const outsideWindowMessage =
  "(#10) This message is sent outside of allowed window. Learn more about the new policy here: https://developers.facebook.com/docs/messenger-platform/policy-overview";

/** Instagram's own host returns another `type` for errors that do not concern the token. */
const instagramType = (instagramHost: boolean): { type?: string } => (instagramHost ? { type: "IGApiException" } : {});

/** The simulator's Graph errors, by meaning. */
export const refuse = {
  unreadableToken: () =>
    new GraphError({ message: "Invalid OAuth access token - Cannot parse access token", code: 190 }),
  revokedToken: () =>
    new GraphError({
      message:
        "Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.",
      code: 190,
      subcode: 460,
    }),
  expiredToken: (expiredAt: number, now: number) =>
    new GraphError({
      message: `Error validating access token: Session has expired on ${new Date(expiredAt).toUTCString()}. The current time is ${new Date(now).toUTCString()}.`,
      code: 190,
      subcode: 463,
    }),
  parameter: (text: string, instagramHost = false) =>
    new GraphError({ message: `(#100) ${text}`, code: 100, ...instagramType(instagramHost) }),
  invalidMessage: (text: string, instagramHost: boolean) =>
    new GraphError({ message: `(#100) ${text}`, code: 100, subcode: 2534015, ...instagramType(instagramHost) }),
  unknownAttachment: (instagramHost: boolean) =>
    new GraphError({
      message: "(#100) The attachment ID is invalid or you do not own the attachment",
      code: 100,
      subcode: 2018074,
      ...instagramType(instagramHost),
    }),
  fileNotFetched: (instagramHost: boolean) =>
    new GraphError({
      message: "(#100) Failed to fetch the file from the url",
      code: 100,
      subcode: 2018008,
      ...instagramType(instagramHost),
    }),
  videoTooSlow: (instagramHost: boolean) =>
    new GraphError({
      message: "(#100) Video upload timed out",
      code: 100,
      subcode: 2018294,
      ...instagramType(instagramHost),
    }),
  wrongFileType: (instagramHost: boolean) =>
    new GraphError({
      message: "(#100) Upload attachment failure: the type of the file does not match",
      code: 100,
      subcode: 2018047,
      ...instagramType(instagramHost),
    }),
  fileTooLarge: (instagramHost: boolean) =>
    new GraphError({
      message: "(#100) Attachment size exceeds allowable limit",
      code: 100,
      subcode: 2018109,
      ...instagramType(instagramHost),
    }),
  retiredTag: () => new GraphError({ message: "Invalid parameter", code: 100, subcode: 1893061 }),
  unknownPerson: (instagram: boolean, instagramHost: boolean) =>
    instagram
      ? new GraphError({
          message: "The requested user cannot be found.",
          code: 100,
          subcode: 2534014,
          ...instagramType(instagramHost),
        })
      : new GraphError({ message: "(#100) No matching user found", code: 100, subcode: 2018001 }),
  outsideWindow: (instagram: boolean, instagramHost: boolean) =>
    new GraphError({
      message: outsideWindowMessage,
      code: 10,
      subcode: instagram ? 2534022 : 2018278,
      ...instagramType(instagramHost),
    }),
  restricted: (instagramHost: boolean) =>
    new GraphError({
      message: "(#10) This account is temporarily restricted from sending messages.",
      code: 10,
      subcode: 1893063,
      ...instagramType(instagramHost),
    }),
  blocked: () =>
    new GraphError({ message: "(#551) This person isn't available right now.", code: 551, subcode: 1545041 }),
  rateLimited: (accountId: string, minutes = 1) =>
    new GraphError({
      message: "(#613) Calls to this api have exceeded the rate limit.",
      code: 613,
      headers: {
        "X-App-Usage": JSON.stringify({ call_count: 100, total_time: 25, total_cputime: 25 }),
        "X-Business-Use-Case-Usage": JSON.stringify({
          [accountId]: [
            {
              type: "messenger",
              call_count: 100,
              total_cputime: 25,
              total_time: 25,
              estimated_time_to_regain_access: minutes,
            },
          ],
        }),
      },
    }),
  serverError: () =>
    new GraphError({
      message: "An unexpected error has occurred. Please retry your request later.",
      code: 2,
      status: 500,
      transient: true,
    }),
  noCapability: () =>
    new GraphError({ message: "(#3) Application does not have the capability to make this API call.", code: 3 }),
  noConsent: (instagramHost: boolean) =>
    new GraphError({
      message: "(#230) User consent is required to access user profile",
      code: 230,
      ...instagramType(instagramHost),
    }),
  noProfile: () =>
    new GraphError({ message: "(#100) No profile available for this user.", code: 100, subcode: 2018218 }),
  unknownField: (name: string, instagramHost: boolean) =>
    new GraphError({
      message: `(#100) Tried accessing nonexistent field (${name})`,
      code: 100,
      ...instagramType(instagramHost),
    }),
  unknownNode: (method: string, id: string) =>
    new GraphError({
      message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
      code: 100,
      subcode: 33,
      type: "GraphMethodException",
    }),
  unreadableMessage: (instagramHost: boolean) =>
    new GraphError({
      message: "(#9000001) The message was deleted or is not one of the newest 20 messages of its conversation",
      code: 9_000_001,
      ...instagramType(instagramHost),
    }),
  unknownPath: () =>
    new GraphError({
      message: "Unknown path components",
      code: 2500,
    }),
};
