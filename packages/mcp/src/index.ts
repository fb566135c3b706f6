export type { McpOptions } from './createMcpServer.ts'
export { answerMcp, operationOf, serveMcpStdio } from './serveMcp.ts'
