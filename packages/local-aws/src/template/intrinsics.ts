import { LocalRefusal } from "../support/local-refusal.ts";
import type { Assembly, Template } from "./template.ts";

/** The identifiers of a created resource: the values of Ref and GetAtt. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The value refers to a resource of the template that has not been created yet. */
export class ResourceNotCreated extends LocalRefusal {}

export const REGION = "us-east-1";
export const ACCOUNT = "000000000000";

const NO_VALUE = Symbol("AWS::NoValue");
type Arguments = readonly unknown[];

/** Resolves CloudFormation's intrinsic functions against the resources created so far. */
export class Resolver {
  readonly #templates: ReadonlyMap<string, Template>;
  readonly #identities = new Map<string, Identity>();

  constructor(assembly: Assembly) {
    this.#templates = new Map(assembly.stacks.map(({ name, template }) => [name, template]));
  }

  register(stack: string, id: string, identity: Identity): void {
    this.#identities.set(`${stack}/${id}`, identity);
  }

  /** The ARN of each created resource that has one, with its id. */
  arns(): (readonly [id: string, arn: string])[] {
    return [...this.#identities].flatMap(([name, { ref, attributes }]) => {
      const arn = attributes.Arn ?? (ref.startsWith("arn:") ? ref : null);
      return arn === null ? [] : [[name.slice(name.indexOf("/") + 1), arn] as const];
    });
  }

  /** The URL of the created queue with this ARN. */
  queueUrl(arn: string): string | undefined {
    for (const { attributes } of this.#identities.values()) if (attributes.Arn === arn) return attributes.QueueUrl;
    return undefined;
  }

  /**
   * The value with every intrinsic function resolved as of `stack`. Throws ResourceNotCreated for a resource that is still to
   * be made, and a LocalRefusal for a name the templates do not have or a function that is not known.
   */
  resolve(stack: string, value: unknown): unknown {
    const result = this.#value(stack, value);
    return result === NO_VALUE ? undefined : result;
  }

  /** Like `resolve`, for a string. Converts a number or a boolean to a string, as CloudFormation does. */
  text(stack: string, value: unknown): string {
    const result = this.resolve(stack, value);
    if (typeof result === "string" || typeof result === "number" || typeof result === "boolean") return String(result);
    throw new LocalRefusal(`${stack}: a text was expected, not ${JSON.stringify(value)}.`);
  }

  /** Evaluates a condition of a stack. Returns true if no condition is named. */
  isConditionMet(stack: string, condition: string | undefined): boolean {
    if (condition === undefined) return true;
    const body = this.#template(stack).Conditions?.[condition];
    if (body === undefined) throw new LocalRefusal(`${stack} has no condition ${condition}.`);
    return this.#value(stack, body) === true;
  }

  #template(stack: string): Template {
    const template = this.#templates.get(stack);
    if (!template) throw new LocalRefusal(`There is no stack ${stack}.`);
    return template;
  }

  #value(stack: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#value(stack, one)).filter((one) => one !== NO_VALUE);
    if (typeof value === "string") return rejectDynamicReference(stack, value);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [only, ...others] = entries;
    if (only && others.length === 0 && (only[0] === "Ref" || only[0] === "Condition" || only[0].startsWith("Fn::"))) {
      return this.#call(stack, only[0], only[1]);
    }
    const resolved = entries.map(([key, one]) => [key, this.#value(stack, one)] as const);
    return Object.fromEntries(resolved.filter(([, one]) => one !== NO_VALUE));
  }

  #call(stack: string, name: string, body: unknown): unknown {
    const list = (): Arguments => {
      const resolved = this.#value(stack, body);
      if (!Array.isArray(resolved)) throw new LocalRefusal(`${stack}: ${name} takes a list.`);
      return resolved;
    };
    switch (name) {
      case "Ref":
        return this.#ref(stack, String(body));
      case "Condition":
        return typeof body === "string" ? this.isConditionMet(stack, body) : { Condition: this.#value(stack, body) };
      case "Fn::GetAtt":
        return this.#attribute(stack, body);
      case "Fn::ImportValue":
        return this.#import(this.text(stack, body));
      case "Fn::Sub":
        return this.#substitute(stack, body);
      case "Fn::If":
        return this.#choose(stack, body as Arguments);
      case "Fn::Join": {
        const [separator, parts] = list();
        return (parts as Arguments).join(String(separator));
      }
      case "Fn::Select": {
        const [index, parts] = list();
        const argument = (parts as Arguments)[Number(index)];
        if (argument === undefined)
          throw new LocalRefusal(`${stack}: Fn::Select asks for part ${index}, which is not there.`);
        return argument;
      }
      case "Fn::Split": {
        const [separator, text] = list();
        return String(text).split(String(separator));
      }
      case "Fn::FindInMap": {
        const [map, first, second] = list().map(String) as [string, string, string];
        const mapped = this.#template(stack).Mappings?.[map]?.[first]?.[second];
        if (mapped === undefined) throw new LocalRefusal(`${stack} has no mapping ${map}.${first}.${second}.`);
        return mapped;
      }
      case "Fn::Equals": {
        const [left, right] = list();
        return String(left) === String(right);
      }
      case "Fn::And":
        return list().every((one) => one === true);
      case "Fn::Or":
        return list().some((one) => one === true);
      case "Fn::Not":
        return list()[0] !== true;
      default:
        throw new LocalRefusal(`${stack}: the local stack does not know the function ${name}.`);
    }
  }

  #ref(stack: string, id: string): unknown {
    const pseudo = pseudoParameter(stack, id);
    if (pseudo !== undefined) return pseudo;
    const { Resources, Parameters } = this.#template(stack);
    if (Resources[id]) return this.#identity(stack, id).ref;
    const parameter = Parameters?.[id];
    if (!parameter) throw new LocalRefusal(`${stack}: Ref ${id} names nothing in the template.`);
    if (parameter.Default === undefined || parameter.Type?.startsWith("AWS::SSM::")) {
      throw new LocalRefusal(`${stack}: the parameter ${id} has no value here: give it a default in the template.`);
    }
    return parameter.Default;
  }

  #attribute(stack: string, body: unknown): string {
    const [id = "", ...rest] = Array.isArray(body) ? body.map(String) : String(body).split(".");
    const attribute = rest.join(".");
    if (!this.#template(stack).Resources[id]) {
      throw new LocalRefusal(`${stack}: GetAtt ${id}.${attribute} names nothing in the template.`);
    }
    const value = this.#identity(stack, id).attributes[attribute];
    if (value === undefined) throw new LocalRefusal(`${stack}/${id} has no attribute ${attribute} in the local stack.`);
    return value;
  }

  #identity(stack: string, id: string): Identity {
    const identity = this.#identities.get(`${stack}/${id}`);
    if (identity) return identity;
    const type = this.#template(stack).Resources[id]?.Type;
    throw new ResourceNotCreated(`Something needs ${stack}/${id} (${type}), which the local stack has not made.`);
  }

  #import(name: string): unknown {
    for (const [stack, { Outputs = {} }] of this.#templates) {
      for (const output of Object.values(Outputs)) {
        if (output.Export && this.text(stack, output.Export.Name) === name) return this.#value(stack, output.Value);
      }
    }
    throw new LocalRefusal(`No stack exports ${name}.`);
  }

  #substitute(stack: string, body: unknown): string {
    const [pattern, names] = (Array.isArray(body) ? body : [body]) as [string, Record<string, unknown>?];
    return pattern.replaceAll(/\$\{(!?)([^{}]+)\}/g, (_whole, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (names && name in names) return this.text(stack, names[name]);
      return this.text(stack, name.includes(".") ? { "Fn::GetAtt": name } : { Ref: name });
    });
  }

  #choose(stack: string, [condition, yes, no]: Arguments): unknown {
    return this.#value(stack, this.isConditionMet(stack, String(condition)) ? yes : no);
  }
}

function rejectDynamicReference(stack: string, text: string): string {
  if (!text.includes("{{resolve:")) return text;
  throw new LocalRefusal(`${stack}: the local stack does not follow dynamic references such as ${text}.`);
}

function pseudoParameter(stack: string, name: string): unknown {
  const pseudoParameters: Record<string, unknown> = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": stack,
    "AWS::StackId": `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stack}/local`,
    "AWS::NoValue": NO_VALUE,
  };
  return pseudoParameters[name];
}
