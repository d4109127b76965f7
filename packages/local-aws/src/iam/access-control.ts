import { appendFileSync, rmSync } from "node:fs";
import { type AccessKey, deriveAccessKey, toAccessKeys } from "../access/access-key.ts";
import { PRIVATE_FILE } from "../access/private-files.ts";
import type { AccessKeys } from "../access/signature.ts";
import type { FunctionDeclaration } from "../lambda/functions.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import type { Assembly } from "../template/template.ts";
import type { Denial } from "./denials.ts";
import { listGrants, usedGrants } from "./grants.ts";
import { judge } from "./judge.ts";
import type { AccessNeed } from "./needs/need.ts";
import { readTableSchemas, type TableSchema } from "./needs/table-needs.ts";
import { matchesPattern } from "./patterns.ts";
import { type Role, readRole, type Statement, toLabel } from "./statements.ts";

/** Decides what the callers of the services may do. The stack's own key may do everything, as an administrator. */
export interface AccessControl {
  /** The keys that the services accept, of the functions too once they are known. */
  readonly accessKeys: AccessKeys;
  /** Whether each function has a key of its own, by which its requests are judged. */
  readonly isStrict: boolean;
  /** The tables of the template by their names. */
  readonly tables: Readonly<Record<string, TableSchema>>;
  /** Reads the roles of the functions, whose resources must exist. */
  readRoles(assembly: Assembly, resolver: Resolver, functions: readonly FunctionDeclaration[]): void;
  /** What a function signs with. */
  keyOf(functionId: string): AccessKey;
  /** Whether the key is that of a function, so that its requests are judged. */
  isJudged(accessKeyId: string | null): boolean;
  /** The first need of a request that the role of the key's function does not allow, or null. Records what it used. */
  findDenial(accessKeyId: string | null, needs: readonly AccessNeed[]): Denial | null;
  /** Whether the role allows what changes only the form of an answer. What it does not allow is no denial. */
  mayAlso(accessKeyId: string | null, need: AccessNeed): boolean;
}

/** A line of the file of records. */
export type AccessRecord =
  | { readonly kind: "granted" | "used"; readonly function: string; readonly grant: string }
  | {
      readonly kind: "denied";
      readonly function: string;
      readonly action: string;
      /** With the ids of the template. */
      readonly resource: string;
      readonly reason: string | null;
    };

export interface AccessControlOptions {
  readonly accessKey: AccessKey;
  /** Where each grant is recorded, each that is used, and each kind of denial, as lines of JSON. Begins with each start. */
  readonly file: string;
  /** Receives a line for each kind of denial. */
  readonly report: (line: string) => void;
}

interface Caller {
  readonly functionId: string;
  readonly role: Role;
  readonly context: AccessNeed["context"];
  /** The statements of the role that name an action, by the action: most name others. */
  readonly statements: Map<string, readonly Statement[]>;
}

/** Opens the access of a stack, and removes the records of an earlier start. */
export function openAccess({
  isStrict,
  ...options
}: AccessControlOptions & { readonly isStrict: boolean }): AccessControl {
  rmSync(options.file, { force: true });
  return isStrict ? openStrictAccess(options) : openFreeAccess(options.accessKey);
}

/** Every caller has the stack's own key, and may do everything. */
export function openFreeAccess(accessKey: AccessKey): AccessControl {
  return {
    accessKeys: toAccessKeys(accessKey),
    isStrict: false,
    tables: {},
    readRoles() {},
    keyOf: () => accessKey,
    isJudged: () => false,
    findDenial: () => null,
    mayAlso: () => true,
  };
}

/** Each function has a key of its own, and may do what its role in the template allows. */
export function openStrictAccess({ accessKey, file, report }: AccessControlOptions): AccessControl {
  const accessKeys: Record<string, string> = { ...toAccessKeys(accessKey) };
  const tables: Record<string, TableSchema> = {};
  const callers = new Map<string, Caller>();
  const keys = new Map<string, AccessKey>();
  const recorded = new Set<string>();
  let label = (arn: string): string => arn;

  const record = (entry: AccessRecord): boolean => {
    const line = JSON.stringify(entry);
    if (recorded.has(line)) return false;
    recorded.add(line);
    appendFileSync(file, `${line}\n`, { mode: PRIVATE_FILE });
    return true;
  };
  const recordUse = (functionId: string, grants: readonly string[]): void => {
    for (const grant of grants) record({ kind: "used", function: functionId, grant });
  };
  const decide = (caller: Caller, need: AccessNeed) =>
    judge(statementsOn(caller, need.action), { ...need, context: { ...caller.context, ...need.context } });

  return {
    accessKeys,
    isStrict: true,
    tables,
    readRoles(assembly, resolver, functions) {
      Object.assign(tables, readTableSchemas(assembly, resolver));
      label = (arn) => toLabel(arn, resolver);
      for (const declaration of functions) {
        const { id } = declaration;
        const role = readRole(assembly, resolver, declaration);
        const key = deriveAccessKey(accessKey, id);
        accessKeys[key.id] = key.secret;
        for (const each of [id, declaration.stackResource.id]) keys.set(each, key);
        callers.set(key.id, { functionId: id, role, context: callerContext(role), statements: new Map() });
        for (const grant of listGrants(role.statements)) record({ kind: "granted", function: id, grant });
      }
    },
    keyOf(functionId) {
      const key = keys.get(functionId);
      if (key === undefined) throw new Error(`There is no role of the function ${functionId}.`);
      return key;
    },
    isJudged: (accessKeyId) => accessKeyId !== null && callers.has(accessKeyId),
    findDenial(accessKeyId, needs) {
      const caller = callers.get(accessKeyId ?? "");
      if (caller === undefined) return null;
      const { functionId, role } = caller;
      for (const need of needs) {
        const verdict = decide(caller, need);
        if (verdict.isAllowed) {
          recordUse(functionId, usedGrants(verdict.allowances));
          continue;
        }
        const { action } = need;
        const { isExplicit, reason } = verdict;
        const resource = label(need.resource);
        if (record({ kind: "denied", function: functionId, action, resource, reason }))
          report(
            `${functionId} is denied ${action} on ${resource}: ${reason ?? "no statement of its role allows it"}.`,
          );
        return { functionId, callerArn: role.callerArn, need, isExplicit, reason };
      }
      return null;
    },
    mayAlso(accessKeyId, need) {
      const caller = callers.get(accessKeyId ?? "");
      if (caller === undefined) return true;
      const verdict = decide(caller, need);
      if (verdict.isAllowed) recordUse(caller.functionId, usedGrants(verdict.allowances));
      return verdict.isAllowed;
    },
  };
}

function statementsOn({ role, statements }: Caller, action: string): readonly Statement[] {
  const namedBefore = statements.get(action);
  if (namedBefore !== undefined) return namedBefore;
  const named = role.statements.filter(({ actions }) =>
    actions.some((pattern) => matchesPattern(pattern, action, true)),
  );
  statements.set(action, named);
  return named;
}

function callerContext({ callerArn }: Role): AccessNeed["context"] {
  return {
    "aws:principalaccount": [ACCOUNT],
    "aws:principalarn": [`arn:aws:iam::${ACCOUNT}:role/${callerArn.split("/")[1]}`],
    "aws:requestedregion": [REGION],
    "aws:resourceaccount": [ACCOUNT],
    // Of the deployment. Here everything is on loopback.
    "aws:securetransport": ["true"],
  };
}
