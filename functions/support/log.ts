export { consoleLog as log } from "../../shared/aws/log.ts";
