export { consoleLog as log } from "#base/aws/log.ts";
