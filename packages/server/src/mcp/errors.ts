import { AppError } from '../lib/errors.ts'

/** A model called a tool in a way that cannot work; the message says what can. */
export class McpInputError extends AppError {
  constructor(message: string) {
    super('MCP_INPUT', message)
  }
}

/** The WebSocket of `watch` was refused or ended before its time was over. */
export class WatchLostError extends AppError {
  constructor(code: number) {
    const cause = 'all WebSockets of the key may be in use, or the service is restarting'
    super('MCP_WATCH_LOST', `The WebSocket was refused or closed (${code}): ${cause}.`, {
      retryable: true,
    })
  }
}
