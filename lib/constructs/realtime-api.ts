import { Stack } from "aws-cdk-lib";
import { CfnApi, WebSocketApi, WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import { WebSocketLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { DomainSetting } from "../config/settings.ts";
import { apiName } from "../config/stack-names.ts";
import { mapDomain } from "./custom-domain.ts";

export interface RealtimeApiProps {
  readonly stage: string;
  /** Serves the three routes. */
  readonly socket: IFunction;
  /** Handshakes and frames per second across all sockets, and the burst above that rate. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** Null: the API has the gateway's own host. */
  readonly domain: DomainSetting | null;
}

const STAGE = "live";

/**
 * The public WebSocket API. It has no access log: the query of a handshake is a credential. It has no other routes than
 * the three of the gateway, so that each frame is `$default`.
 */
export class RealtimeApi extends Construct {
  /** `wss://…`, to which a client adds its ticket. */
  readonly url: string;
  /** The endpoint of its connections for functions, `https://…`. */
  readonly endpoint: string;
  /** The first label of the gateway's host name. */
  readonly apiId: string;
  readonly #gateway: WebSocketApi;

  constructor(scope: Construct, id: string, { stage, socket, throttle, domain }: RealtimeApiProps) {
    super(scope, id);
    const route = (name: string) => ({ integration: new WebSocketLambdaIntegration(`${name}Integration`, socket) });
    this.#gateway = new WebSocketApi(this, "Gateway", {
      description: "Parley: realtime",
      ...apiName(stage, "realtime"),
      connectRouteOptions: route("Connect"),
      disconnectRouteOptions: route("Disconnect"),
      defaultRouteOptions: route("Frame"),
    });
    if (domain !== null && this.#gateway.node.defaultChild instanceof CfnApi) {
      this.#gateway.node.defaultChild.disableExecuteApiEndpoint = true;
    }
    const liveStage = new WebSocketStage(this, "Stage", {
      webSocketApi: this.#gateway,
      stageName: STAGE,
      autoDeploy: true,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
    });
    if (domain !== null) {
      mapDomain(this, { domain, api: this.#gateway, stage: liveStage, output: "RealtimeDomainTarget" });
    }
    const { region, urlSuffix } = Stack.of(this);
    this.apiId = this.#gateway.apiId;
    this.url = domain === null ? `${this.#gateway.apiEndpoint}/${STAGE}` : `wss://${domain.name}`;
    // The connections are behind the same host as the sockets: without that of the gateway, behind the domain.
    this.endpoint =
      domain !== null ? `https://${domain.name}` : `https://${this.apiId}.execute-api.${region}.${urlSuffix}/${STAGE}`;
  }

  /** Grants a role to send to the connections of the stage and to close them. */
  allowManaging(role: IRole): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({
        sid: "Connections",
        actions: ["execute-api:ManageConnections"],
        resources: ["POST", "DELETE"].map((method) =>
          Stack.of(this).formatArn({
            service: "execute-api",
            resource: this.apiId,
            resourceName: `${STAGE}/${method}/@connections/*`,
          }),
        ),
      }),
    );
  }
}
