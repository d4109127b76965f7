import type { Texts } from "../describe/texts.ts";

/** The sign-in of people, and their session. */
export const signInTexts: Texts = {
  requestSignInLink:
    "Mails a link that signs a person in. The response is the same for every address, so that it does not reveal who has an account. The link works once, for 15 minutes: at once in the browser that requested it, and by one press in any other. The mail is in the language of `Accept-Language`, if Parley has it, else in English. At most 5 requests for an address and 20 from a network address in 15 minutes: 429 with `Retry-After`.",
  RequestSignInLinkRequest: "The body of `requestSignInLink`: an address, and where the link redirects.",
  "RequestSignInLinkRequest.email": "The address to which the link is sent.",
  "RequestSignInLinkRequest.redirect":
    "The path of the console to which the link redirects. Absent: `/app`, or `/` of a console on another host. A text that is no such path counts as `/`.",
  "RequestSignInLinkRequest.invite":
    "The invite from the link of its mail: the sign-in accepts it. Any other text counts as none.",
  "RequestSignInLinkData.sent": "Always `true`, also for an address that gets no mail.",

  verifySignInLink:
    "In the browser that requested the link, sets the cookies of a session and redirects to the console. Any other browser, and one in which another person is signed in, gets a page with one button, and nothing is used: so a program that scans mails uses no link, and no link replaces a session unnoticed. A HEAD request and a prefetch do not use the link either. A browser gets a page that offers a new link instead of the error. A link that was used, has expired or is unknown is 401 `invalid_token`.",
  "verifySignInLink?token": "The token of the link, which works once.",
  confirmSignIn:
    "Takes the form of the page that the GET request answered. Only a page of the API's own origin can send it: any other is 403 `csrf_failed`. Sets the cookies of a session and redirects to the console. A link that was used, has expired or is unknown is 401 `invalid_token`.",
  signOut: "Ends every session of the person on all their devices, and removes the cookies of this one.",
  "SignOutData.signed_out": "Always `true`: every session of the person has ended.",

  getSession:
    "Returns who is signed in, with the CSRF token and the invites that wait. 401 without a session, and once it has ended.",
  "GetSessionData.user_id": "The id of the person: `usr_` and a ULID.",
  "GetSessionData.actor_id": "The person as the author of messages and changes: `console:<user_id>`.",
  "GetSessionData.email": "The address with which the person signed in.",
  "GetSessionData.name": "The name that the person gave. Null until they do.",
  "GetSessionData.session_expires_at": "When the session ends, in ISO 8601: 12 hours after the sign-in.",
  "GetSessionData.tenant": "The slug of the person's only tenant. Null for a person with none or several.",
  "GetSessionData.tenants": "The slugs of all their tenants, which `tenant` takes.",
  "GetSessionData.csrf_token": "What each write with the session repeats in the header `x-csrf-token`.",
  "GetSessionData.invites": "The invites that the person may accept or decline. The last sign-in found them.",
  updateSession:
    "Sets the name that colleagues read in the team and beside messages, and that everyone who opens a check page of the person reads.",
  "UpdateSessionRequest.name": "The new name: 1 to 80 characters on one line.",
  "UpdateSessionData.name": "The name as it is stored.",
};
