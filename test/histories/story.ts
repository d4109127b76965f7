import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { type AccountStep, isAccountStep } from "./steps/account-step.ts";
import type { History, Step } from "./steps/step.ts";
import type { MemberName } from "./world/members.ts";

/** The steps of a history, one sentence each. */
export function formatStory({ seed, steps }: History): string {
  const lines = steps.map(([step, ticks], i) => `${i + 1}. ${sentence(step)}${pace(ticks)}`);
  return [`Order ${seed}:`, ...lines].join("\n");
}

function pace(ticks: number | null): string {
  return ticks === null ? "." : `; the next step comes after ${ticks} calls.`;
}

function sentence(step: Step): string {
  if (isAccountStep(step)) return accountSentence(step);
  switch (step.do) {
    case "write":
      return `Person ${step.person} writes`;
    case "echo":
      return `The account writes to person ${step.person} in its native app`;
    case "reply":
      return `${agent(step.by)} replies to person ${step.person}${typeof step.key === "number" ? ` with key ${step.key}` : ""}`;
    case "testReply":
      return `${agent(step.by)} replies to person ${step.person} with a test key`;
    case "read":
      return step.by ? `${agent(step.by)} reads the inbox` : `The tenant of person ${step.person} reads its inbox`;
    case "page":
      return `The tenant of person ${step.person} reads its next message`;
    case "connect":
    case "disconnect":
      return `The tenant of person ${step.person} ${step.do}s its account`;
    case "suspendTenant":
    case "resumeTenant":
      return `The operator ${step.do === "suspendTenant" ? "suspends" : "resumes"} the tenant of person ${step.person}`;
    case "deleteTenant":
      return `The operator deletes the other tenant; the first run dies at step ${step.dies}`;
    case "rotateRoot":
      return "The operator rotates the root secret";
    case "removeAgent":
      return "The owner removes the agent from the team";
    case "inviteAgent":
      return "The owner invites the agent, who signs in";
    case "watch":
      return step.by
        ? `${agent(step.by)} connects to the realtime stream`
        : `A program connects to the realtime stream of the tenant of person ${step.person}`;
    case "leave":
      return `Viewer ${step.viewer} ends its connection${step.isReported ? "" : ", and no one reports it"}`;
    case "revokeKey":
      return `The tenant of person ${step.person} revokes the key of its programs`;
    case "gateway":
      return `The gateway's management API is now: ${step.mode}`;
    case "trespass":
      return `Another caller tries what is not theirs: ${step.act} of person ${step.person}'s tenant`;
    case "policy":
      return `The platform sends a ${step.action} of the account of person ${step.person}`;
    case "subscribe":
      return `The tenant subscribes endpoint ${step.endpoint} to: ${step.to}`;
    case "bury":
      return `The next message of ${step.queue} fails ten times`;
    case "redrive":
      return "The operator redrives all dead letters";
    case "hold":
      return `${agent(step.by)} holds a message to person ${step.person}`;
    case "erase":
      return `The tenant erases the conversation of person ${step.person}`;
    case "edit":
    case "unsend":
      return `A person ${step.do}s message ${step.message}`;
    case "react":
      return `A person reacts to message ${step.message}`;
    case "check":
      return `The agent completes the check of hold ${step.hold}`;
    case "create":
      return "The tenant creates an endpoint";
    case "receiver":
      return `The receiver of endpoint ${step.endpoint} is now: ${step.mode}`;
    case "platform":
      return `The platform's next answer to a send: ${step.mode}`;
    case "wait":
      return `${duration(step.millis)} pass`;
    case "trouble": {
      const millis = step.kind.startsWith("freeze") ? ` for ${duration(step.millis)}` : "";
      return `An invocation of ${step.name} meets at call ${step.call}: ${step.kind}${millis}`;
    }
    case "stale":
      return `${step.isMixed ? "Half of the eventually" : "Eventually"} consistent reads of ${step.source} miss the last ${step.writes} writes`;
    case "again":
      return `The next message of ${step.queue} comes twice, the second time ${step.when === "running" ? "at once" : "afterwards"}`;
    default:
      return `The tenant asks to ${step.do} endpoint ${step.endpoint}`;
  }
}

function accountSentence(step: AccountStep): string {
  switch (step.do) {
    case "customerWrites":
      return `Customer ${step.customer} writes`;
    case "accountWrites":
      return `The account of customer ${step.customer} writes to them in its native app`;
    case "lateWebhook":
      return `The webhook comes of what customer ${step.customer} wrote ${duration(step.age)} ago`;
    case "manyWrite":
      return `Every customer of ${step.platform} writes, in one webhook${step.isFirstUnstorable ? "; the first message cannot be stored" : ""}`;
    case "connectAccount":
      return `Login ${step.login} connects account ${step.account} to tenant ${step.tenant}`;
    case "disconnectAccount":
      return `The tenant that has account ${step.account} disconnects it`;
    case "deauthorize":
      return `The person of login ${step.login} removes the app`;
    case "deleteData":
      return `The person of login ${step.login} requests the deletion of their data`;
    case "loseSubscription":
      return `The platform ends the subscription of account ${step.account}`;
    case "limitHistory":
      return `The platform limits reads of its history for ${duration(step.millis)}`;
    case "outage":
      return `An outage of ${step.service} begins, for ${duration(step.millis)}`;
    case "eraseCustomer":
      return `Both tenants erase the conversation of customer ${step.customer}`;
  }
}

function agent(member: MemberName | undefined): string {
  return member === undefined ? "An agent with a key" : `The ${member} in the console`;
}

function duration(millis: Millis): string {
  for (const [unit, name] of [
    [DAY, "days"],
    [HOUR, "hours"],
    [MINUTE, "minutes"],
  ] as const) {
    if (millis >= unit) return `${Math.round((millis / unit) * 100) / 100} ${name}`;
  }
  return `${millis / SECOND} seconds`;
}
