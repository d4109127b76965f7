/** Called for each asynchronous call of a port. `name` is `<port>.<method>`, such as `sendRecords.start`. */
export type OnPortCall = (name: string, call: () => Promise<unknown>) => Promise<unknown>;

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** The calls of ports that return no promise, and the ports that only have such calls. */
const synchronousCalls: ReadonlySet<string> = new Set([
  "log",
  "random",
  "budgets.spending",
  "platform.textTooLong",
  "traces.deliveryKeys",
  "traces.bodyKeys",
]);
const synchronousPorts: ReadonlySet<string> = new Set(["gate"]);
/** The calls of ports that return pages. Their reads are not intercepted. */
const pageCalls: ReadonlySet<string> = new Set(["dueSends.between", "holds.listOverdue"]);

/** Ports whose asynchronous calls run through `onCall`, those of the platform as `platform.send` included. */
export function interceptCalls<P extends object>(ports: P, onCall: OnPortCall): P {
  const intercept = (name: string, method: AnyFunction): AnyFunction => {
    if (synchronousCalls.has(name) || pageCalls.has(name)) return method;
    if (name === "platformFor") {
      return async (...args) => interceptMethods("platform", (await method(...args)) as object);
    }
    return (...args) => onCall(name, async () => method(...args));
  };
  const interceptMethods = (port: string, methods: object): object =>
    mapValues(methods, (method, name) =>
      typeof method === "function" ? intercept(`${port}.${name}`, method as AnyFunction) : method,
    );
  return mapValues(ports, (port, name) => {
    if (typeof port === "function") return intercept(name, port as AnyFunction);
    const isStore = typeof port === "object" && port !== null && Object.getPrototypeOf(port) === Object.prototype;
    return isStore && !synchronousPorts.has(name) ? interceptMethods(name, port) : port;
  }) as P;
}

function mapValues(object: object, map: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}
