// What a person and a tenant may use, unless the operator sets another number. The settings have these names.

interface OperatorLimit {
  readonly default: number;
  /** The largest number that the operator may set. The smallest is 1. */
  readonly max: number;
}

export const operatorLimits = {
  /** Tenants that a person may own and still create another one. */
  tenantsPerOwner: { default: 5, max: 1_000 },
  /** Tenants that a person may create in a day of UTC. */
  tenantsPerDay: { default: 2, max: 1_000 },
  pendingInvitesPerTenant: { default: 50, max: 1_000 },
  /** Mails of invites in a day of UTC. */
  inviteMailsPerTenantPerDay: { default: 100, max: 100_000 },
  inviteMailsPerPersonPerDay: { default: 100, max: 100_000 },
  /** Requests of a tenant's keys and members together. One partition of the table counts them. */
  requestsPerTenantPerMinute: { default: 6_000, max: 30_000 },
} as const satisfies Record<string, OperatorLimit>;

export type OperatorLimitName = keyof typeof operatorLimits;
export type OperatorLimits = Readonly<Record<OperatorLimitName, number>>;
export const operatorLimitNames = Object.keys(operatorLimits) as readonly OperatorLimitName[];
