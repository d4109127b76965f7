import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Profile } from "../../domain/inbox/profiles.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { headKey } from "../keys.ts";

export type Profiles = ReturnType<typeof profileStore>;

/** The people's profiles. Each stands on the head of its conversation, and goes when that goes. */
export function profileStore({ client, name: TableName }: Table) {
  return {
    /**
     * Keeps what a fetch found out. Does nothing where there is no conversation any more, where it was erased after
     * the fetch began, and where a newer fetch was kept; so it may come twice and in any order.
     * @param fetchedAt when the fetch began
     */
    async save(conversationId: string, profile: Profile, fetchedAt: Millis): Promise<void> {
      const { set, remove, values } = toProfileUpdate(profile);
      await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: headKey(conversationId),
            UpdateExpression: [
              `SET ${["ps = :ps", "pf = :pf", ...set].join(", ")}`,
              ...(remove.length > 0 ? [`REMOVE ${remove.join(", ")}`] : []),
            ].join(" "),
            ConditionExpression:
              "attribute_exists(la) AND (attribute_not_exists(pf) OR pf < :pf) AND (attribute_not_exists(ea) OR ea < :pf)",
            ExpressionAttributeValues: { ":ps": profile.state, ":pf": fetchedAt, ...values },
          }),
        ),
      );
    },
  };
}

/** A person kept from us stays what they were known as. Else all is set anew: what a person took away goes. */
function toProfileUpdate(profile: Profile): { set: string[]; remove: string[]; values: Record<string, unknown> } {
  if (profile.state === "unavailable") return { set: [], remove: [], values: {} };
  const { handle, username, picture } = profile;
  const fields = Object.entries({
    // A handle that is the user name is not kept a second time.
    ph: handle === username ? null : handle,
    pu: username,
    pp: picture?.url ?? null,
    px: picture?.expiresAt ?? null,
  });
  const presentFields = fields.filter(([, value]) => value !== null);
  return {
    set: presentFields.map(([field]) => `${field} = :${field}`),
    remove: fields.filter(([, value]) => value === null).map(([field]) => field),
    values: Object.fromEntries(presentFields.map(([field, value]) => [`:${field}`, value])),
  };
}
