import { AppError } from '../lib/errors.ts'

/** A model called a tool in a way that cannot work; the message says what can. */
export class McpInputError extends AppError {
  constructor(message: string) {
    super('MCP_INPUT', message)
  }
}
