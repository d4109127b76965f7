import {
  accountsPerTenantSetting,
  limitSetting,
  optionalSetting,
  isSignUpOpen as readSignUp,
  setting,
  simulatorUrlSetting,
} from "#base/config/settings.ts";
import { DAY, HOUR, type Millis } from "#base/kernel/time.ts";
import type { Host } from "../host.ts";

// What a process has and what its settings say.

export const log = (host: Host) => host.log;
export const random = (host: Host) => host.random;
export const wait = () => (duration: Millis) => new Promise<void>((resolve) => setTimeout(resolve, duration));

export const baseUrl = ({ settings }: Host) => setting("baseUrl", settings);
export const consoleOrigin = ({ settings }: Host) => new URL(setting("consoleUrl", settings)).origin;
export const realtimeUrl = ({ settings }: Host) => setting("realtimeUrl", settings);
export const siteUrl = ({ settings }: Host) => optionalSetting("siteUrl", settings);
export const simulatorUrl = ({ settings }: Host) => simulatorUrlSetting(settings);
export const isSignUpOpen = ({ settings }: Host) => readSignUp(settings);
export const checkInterval = ({ settings }: Host) => (setting("accountChecks", settings) === "hourly" ? HOUR : DAY);

export const accountsMax = ({ settings }: Host) => accountsPerTenantSetting(settings);
export const inviteLimits = ({ settings }: Host) => ({
  pending: limitSetting("pendingInvitesPerTenant", settings),
  tenantMails: limitSetting("inviteMailsPerTenantPerDay", settings),
  personMails: limitSetting("inviteMailsPerPersonPerDay", settings),
});
export const tenantLimits = ({ settings }: Host) => ({
  perOwner: limitSetting("tenantsPerOwner", settings),
  perDay: limitSetting("tenantsPerDay", settings),
});
