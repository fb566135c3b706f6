/** A tool was called in a way that cannot work. The message says what to change. */
export class McpInputError extends Error {}

/** The WebSocket of `watch` was refused, or closed before its time was over. */
export class WatchLostError extends Error {
  constructor(code: number) {
    const cause = 'all WebSockets of the key may be in use, or the service is restarting'
    super(`The WebSocket was refused or closed (${code}): ${cause}. Try again.`)
  }
}
